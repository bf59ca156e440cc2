import type { Incident } from '../model/incident.ts';
import { type Attachment, code, type Message } from '../model/message.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { subjectOf } from './incident-state.ts';
import { EVIDENCE_ARCHIVE, evidenceArchive } from './thread.ts';
import { clip, note, paragraph, say, type Words } from './words/sentence.ts';

type Exported = { readonly incident: Incident; readonly postMortem: string; readonly snapshot: Snapshot | undefined };

/** `post-mortem-inc_4f2k.md`. */
export function postMortemName({ id }: Pick<Incident, 'id'>): string {
  return `post-mortem-${id}.md`;
}

/** The files of an export: the draft, and the evidence while it is stored. */
export function exportFiles({ incident, postMortem, snapshot }: Exported): Attachment[] {
  const draft = { name: postMortemName(incident), title: 'Post-mortem draft', text: postMortem };
  return [draft, ...(snapshot === undefined ? [] : evidenceArchive(snapshot))];
}

/** The message whose thread gets the files, where the finding has no card in this channel. */
export function exportHead({ incident }: Exported): Message {
  return say('info', `${clip(`Post-mortem draft: ${subjectOf(incident)}`, 280)}.`, [note(code(incident.id))]);
}

/** To the asker: what was exported and where it is. */
export function exported({ incident, snapshot }: Exported, where: Words): Message {
  const files = [code(postMortemName(incident)), ...(snapshot === undefined ? [] : [' and ', code(EVIDENCE_ARCHIVE)])];
  return say('ok', `${clip(`Exported: ${subjectOf(incident)}`, 280)}.`, [
    paragraph(...files, ' ', ...where, '.'),
    ...(snapshot === undefined
      ? [paragraph('The evidence was deleted (`store.retentionDays`); the draft says so.')]
      : []),
    note(code(incident.id)),
  ]);
}
