/** People tell of something that never left its load: it stays there until somebody or something ends it. */
export const STILL_LOADING = String.raw`\b(?:status|state|stuck|stays?|hangs?|remains?)\b[^.;\n]{0,16}\bloading\b`;
