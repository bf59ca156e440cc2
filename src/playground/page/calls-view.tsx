import { useState } from 'react';
import { FAULTS, type FaultName, type ShownCall } from './shown.ts';

const KINDS = ['from Slack', 'to Slack', 'to cluster'] as const;
const SIGNS = { 'from Slack': 'Slack → bot', 'to Slack': 'bot → Slack', 'to cluster': 'bot → cluster' };

type Props = { readonly calls: readonly ShownCall[]; readonly onFault: (fault: FaultName) => void };

/** The calls between Slack, the bot and the cluster, newest first. */
export function CallsView({ calls, onFault }: Props) {
  const [kinds, setKinds] = useState<readonly string[]>(KINDS);
  const toggle = (kind: string) =>
    setKinds(kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind]);
  const shown = calls.filter(({ kind }) => kinds.includes(kind)).toReversed();
  return (
    <div className="calls">
      <fieldset>
        <legend className="hidden">Show</legend>
        {KINDS.map((kind) => (
          <label key={kind}>
            <input type="checkbox" checked={kinds.includes(kind)} onChange={() => toggle(kind)} /> {SIGNS[kind]}
          </label>
        ))}
        <select
          aria-label="Make a call of Slack fail"
          value=""
          onChange={(event) => onFault(event.target.value as FaultName)}
        >
          <option value="">Make Slack fail…</option>
          {Object.entries(FAULTS).map(([name, says]) => (
            <option key={name} value={name}>
              {says}
            </option>
          ))}
        </select>
      </fieldset>
      <table>
        <thead className="hidden">
          <tr>
            <th>Time</th>
            <th>Call</th>
            <th>Answer</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ id, at, kind, what, answer, failed, ackMs }) => (
            <tr key={id} className={failed ? 'failed' : ''}>
              <td>{new Date(at).toISOString().slice(11, 19)}</td>
              <td>
                <span className="muted">{SIGNS[kind]}</span> {what}
              </td>
              <td>{ackMs === undefined ? answer : `${answer} in ${ackMs} ms`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p className="muted">No calls yet.</p>}
    </div>
  );
}
