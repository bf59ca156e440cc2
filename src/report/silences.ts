import { type Block, bold, code, type Message } from '../model/message.ts';
import type { Silence } from '../model/silence.ts';
import { clip, flatten, note, paragraph, say, shortList, user, type Words } from './words/sentence.ts';

/** A silence in one line. */
function silenceLine({ cluster, namespace, workload, until, by, reason }: Silence): Words {
  const place = clip(`${namespace}/${workload} (${cluster})`, 150);
  return [bold(place), ' until ', { kind: 'time', at: until }, `: ${clip(reason, 150)}, by `, user(by)];
}

/** The silenced workloads, at most eight, under their number; nothing where there are none. */
export function silencedList(silences: readonly Silence[]): Block[] {
  return shortList('Silenced', silences.map(silenceLine));
}

/** `silence` without words: which workloads are silenced. */
export function silencesMessage(silences: readonly Silence[], command: string): Message {
  const title = silences.length === 0 ? 'Nothing is silenced.' : `${silences.length} silenced.`;
  return flatten(
    say('info', title, [
      ...silencedList(silences),
      note(
        'Type ',
        code(`${command} silence <workload> 4h <reason>`),
        ' · end one: ',
        code(`${command} silence <workload> off`),
      ),
    ]),
  );
}

export function silenced(silence: Silence): Message {
  return flatten(
    say('ok', `Silenced: ${clip(`${silence.namespace}/${silence.workload} (${silence.cluster})`, 200)}.`, [
      paragraph(
        'Until ',
        { kind: 'time', at: silence.until },
        `: ${clip(silence.reason, 300)}. Triage still answers when you ask.`,
      ),
    ]),
  );
}

export function silenceEnded(place: string, wasSilenced: boolean): Message {
  return say(
    wasSilenced ? 'ok' : 'info',
    wasSilenced ? `No longer silenced: ${clip(place, 200)}.` : `${clip(place, 200)} was not silenced.`,
  );
}
