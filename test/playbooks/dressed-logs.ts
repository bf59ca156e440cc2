import { verdictOfFiles } from '../facts/incident.ts';
import { filesOfIncident, INCIDENTS } from './shipped.ts';

type Dress = (line: string) => string;

const TIME = '2026-07-10T10:00:00.123456789Z';

/** What carries a log to a reader, and puts something of its own around each line. */
const DRESSES: Readonly<Record<string, Dress>> = {
  'kubectl logs --prefix': (line) => `[pod/engine-0/engine] ${line}`,
  'docker compose logs': (line) => `engine-1  | ${line}`,
  journalctl: (line) => `Jul 10 10:00:00 node-3 engine[4120]: ${line}`,
  stern: (line) => `chat-7f5c9d8b6-x2x9q engine ${line}`,
  'a quotation': (line) => `> ${line}`,
  'lines of Windows': (line) => `${line}\r`,
};

/** The same with a time, here one and the same for all lines. */
const DATED: Readonly<Record<string, Dress>> = {
  'kubectl logs --timestamps': (line) => `${TIME} ${line}`,
  containerd: (line) => `${TIME} stderr F ${line}`,
  Docker: (line) => JSON.stringify({ log: `${line}\n`, stream: 'stderr', time: TIME }),
  'Google Cloud': (line) => `INFO ${TIME} [resource.labels.containerName: engine] ${line}`,
  Grafana: (line) => `2026-07-10 10:00:00.123\t${line}`,
};

// Which of two memories failed first is told by the times of their lines.
const NEEDS_TIMES: ReadonlySet<string> = new Set(['both-gpu-then-host', 'both-host-then-gpu']);

async function verdictOf(incident: string, dress: Dress) {
  const files = Object.entries(filesOfIncident(incident)).map(([file, text]) => [
    file,
    file.endsWith('.log') ? dressed(text, dress) : text,
  ]);
  const { finding, certain, causeCertain } = await verdictOfFiles(Object.fromEntries(files));
  return { finding, certain, causeCertain };
}

const dressed = (text: string, dress: Dress) =>
  text
    .split('\n')
    .map((line) => (line === '' || line.startsWith('#') ? line : dress(line)))
    .join('\n');

async function changed(incidents: readonly string[], dress: Dress) {
  const found = [];
  for (const incident of incidents) {
    const [plain, other] = [await verdictOf(incident, (line) => line), await verdictOf(incident, dress)];
    if (JSON.stringify(plain) !== JSON.stringify(other)) found.push({ incident, plain, other });
  }
  return found;
}

/** Incidents of which another finding, or another certainty, comes where their logs are dressed: every `step`th by each dress. */
export async function changedByDress(step: number) {
  const found = [];
  for (const [at, [name, dress]] of Object.entries({ ...DRESSES, ...DATED }).entries()) {
    const incidents = INCIDENTS.filter(
      (incident, i) => (i + at) % step === 0 && !(name in DATED && NEEDS_TIMES.has(incident)),
    );
    found.push(...(await changed(incidents, dress)).map((one) => ({ name, ...one })));
  }
  return found;
}
