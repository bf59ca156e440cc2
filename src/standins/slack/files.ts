import { type Answer, type ApiContext, type Args, type Method, refuse, refusePlace, textOf } from './api-context.ts';
import { nextNumber, nextTs } from './state.ts';

/** `files.*`: an address to upload to, and what shares it. */
export const FILE_METHODS: Readonly<Record<string, Method>> = {
  'files.getUploadURLExternal': ({ state, baseUrl }, args) => {
    if (!(Number(args.length) > 0)) return refuse('invalid_arguments');
    const id = `F${nextNumber(state)}`;
    const file = { bytes: undefined, title: undefined, channel: undefined, threadTs: undefined, ts: undefined };
    state.files.set(id, { id, name: String(args.filename), ...file });
    return { ok: true, upload_url: `${baseUrl()}upload/${id}`, file_id: id };
  },
  'files.completeUploadExternal': completeUpload,
};

function completeUpload({ state, now }: ApiContext, args: Args): Answer {
  const channel = textOf(args.channel_id);
  const refusal = channel === undefined ? undefined : refusePlace(state, channel);
  if (refusal !== undefined) return refusal;
  const listed = args.files as readonly { id: string; title?: string }[];
  for (const { id, title } of listed) {
    const file = state.files.get(id);
    if (file?.bytes === undefined) return refuse('file_not_found');
    Object.assign(file, { title, channel, threadTs: textOf(args.thread_ts), ts: nextTs(state, now()) });
  }
  return { ok: true, files: listed };
}
