/** Names of series in PromQL: neither functions, nor labels, nor what stands in quotes or braces. */
export function namesIn(expr: string): readonly string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|group_left|group_right)\s*\([^)]*\)/g, '');
  const words = bare.match(/[a-zA-Z_][\w:]*(?!\w*\s*\()/g) ?? [];
  const reserved = new Set(['and', 'or', 'unless', 'bool', 'offset', 'm', 'h']);
  return words.filter((word) => !reserved.has(word) && !/^\d/.test(word));
}
