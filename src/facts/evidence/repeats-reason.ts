// SGLang gives the reason of any error of the capture below its own head (model_executor/cuda_graph_runner.py).
const WRAPS = /\.graph-failed$/;
const TELLING = 24;

/** Whether a line that wraps any error repeats this one. */
export function repeatsReason(text: string, id: string, { message }: { readonly message: string }): boolean {
  return WRAPS.test(id) && message.length > TELLING && text.includes(message.slice(0, TELLING));
}
