// What the kubelet keeps of a container's last words, from their end: of its log, of a file of its own.
const LOG_BYTES = 2048;
const FILE_BYTES = 4096;

/** The last words that a container left, without a first line that the kubelet has cut: its rest may be a prompt. */
export function withoutCutStart(message: string): string {
  const { length } = new TextEncoder().encode(message);
  const isCut = length === LOG_BYTES || length >= FILE_BYTES || (length >= LOG_BYTES && message.startsWith('\ufffd'));
  if (!isCut) return message;
  const feed = message.indexOf('\n');
  return feed < 0 ? '' : message.slice(feed + 1);
}
