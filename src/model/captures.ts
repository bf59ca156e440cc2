/**
 * What a named group of a signature may be called: facts read it by this name. playbooks/CAPTURES.md tells what each is.
 * A group for the signature's own `means` needs no entry.
 */
export const CAPTURES: ReadonlySet<string> = new Set(
  `
  want wantUnit wantBytes free freeBefore freeBytes total totalUnit totalBytes used unit own allocated reserved cached slack
  pools allowed size bytes mib gib gb need limit requested avail available needed initial base least budget room
  work weights activation nonTorch graphs actual kv k v each graph swap freed
  util fraction minimum share maxModelLen ctx to estimate seqs chunk prefill args config gen version var
  tokens blocks gpuBlocks cpuBlocks capacity cells blockTokens cachedBlocks evictable x newToken input output words n count all layers
  offload order
  running waiting pending promptTps genTps preemptions seconds s
  what kind buf gpu device name backend library frame stage tags adapter code sig xid
  `
    .trim()
    .split(/\s+/),
);
