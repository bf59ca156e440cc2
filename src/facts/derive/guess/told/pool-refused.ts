/** People's words for what an engine says of its pool before it takes it: one request would not fit, or nothing is left. */
export const POOL_REFUSED = String.raw`\bneeds? (?:more KV[- ]?cache than is available\b|[\d.]{1,8} ?[GM]i?B(?: of)? (?:the )?KV[- ]?cache,? (?:(?:but |and )?only\b|available \d))|\b(?:too little|not enough) (?:room|space) (?:is left )?for (?:the )?KV[- ]?cache\b`;
