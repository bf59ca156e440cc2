import { useRef } from 'react';
import type { ClusterState, PodState, ServiceState } from '../cluster/cluster-state.ts';
import { clockOf } from './slack-message.tsx';

const GIB = 1024 ** 3;
const TRAFFIC = [0, 0.5, 1, 2];

type Props = {
  readonly cluster: ClusterState;
  readonly traffic: number;
  readonly onTraffic: (factor: number) => void;
};

/** The cluster as it is now: workloads, pods, both memories, arguments and requests. */
export function ClusterView({ cluster, traffic, onTraffic }: Props) {
  return (
    <div className="cluster">
      <p className="muted">
        {clockOf(cluster.at)} UTC in the cluster · <label htmlFor="traffic">traffic </label>
        <select id="traffic" value={traffic} onChange={(event) => onTraffic(Number(event.target.value))}>
          {TRAFFIC.map((factor) => (
            <option key={factor} value={factor}>
              {factor === 0 ? 'none' : `${factor}×`}
            </option>
          ))}
        </select>
      </p>
      {cluster.services.map((service) => (
        <Service key={`${service.namespace}/${service.name}`} service={service} />
      ))}
    </div>
  );
}

function Service({ service }: { readonly service: ServiceState }) {
  const { namespace, name, kind, replicas, requests, args, memoryLimit, pods } = service;
  const isDown = replicas.ready < replicas.wanted || replicas.wanted === 0;
  return (
    <section className="service">
      <h3>
        {kind} {namespace}/{name}{' '}
        <span className={isDown ? 'pill bad' : 'pill good'}>
          {replicas.ready} of {replicas.wanted} ready
        </span>
      </h3>
      <p>
        {requests.perSecond.toFixed(1)} requests/s · {requests.running} running · {requests.waiting} waiting ·{' '}
        {requests.finished.toLocaleString('en')} done ·{' '}
        <span className={requests.failed > 0 ? 'bad-text' : ''}>{requests.failed.toLocaleString('en')} failed</span>
      </p>
      <Arguments args={[...args, `memory limit ${gib(memoryLimit)}`]} />
      {pods.map((pod) => (
        <Pod key={pod.uid} pod={pod} />
      ))}
      {pods.length === 0 && <p className="muted">No pods.</p>}
    </section>
  );
}

// What differs from the first time that the page saw it is marked.
function Arguments({ args }: { readonly args: readonly string[] }) {
  const lines = joined(args);
  const first = useRef(lines);
  return (
    <ul className="arguments" aria-label="Arguments">
      {lines.map((line) => (
        <li key={line} className={first.current.includes(line) ? '' : 'changed'}>
          {line}
        </li>
      ))}
    </ul>
  );
}

function joined(args: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of args) {
    const last = lines.at(-1);
    if (last?.startsWith('--') && !last.includes(' ') && !/^(--|memory limit)/.test(word))
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

function Pod({ pod }: { readonly pod: PodState }) {
  const { name, status, ready, stage, restarts, lastDeath, gpu, ram, kvUsedShare, running, waiting } = pod;
  return (
    <div className="pod">
      <h4>
        <span className="mono">{name}</span>{' '}
        <span className={ready ? 'pill good' : status === 'Running' ? 'pill' : 'pill bad'}>{status}</span>
      </h4>
      <p className="muted">
        {stage} · {restarts} {restarts === 1 ? 'restart' : 'restarts'}
        {lastDeath && ` · last: ${lastDeath.reason}, exit ${lastDeath.exitCode} at ${clockOf(lastDeath.at)}`}
      </p>
      <Bar label="GPU" used={gpu.used} total={gpu.total} parts={gpu.parts} />
      <Bar label="RAM" used={ram.used} total={ram.limit} parts={[{ name: 'used', bytes: ram.used }]} />
      <p className="muted">
        KV cache {Math.round(kvUsedShare * 100)}% used · {running} running · {waiting} waiting
      </p>
    </div>
  );
}

type BarProps = {
  readonly label: string;
  readonly used: number;
  readonly total: number;
  readonly parts: readonly { readonly name: string; readonly bytes: number }[];
};

function Bar({ label, used, total, parts }: BarProps) {
  const share = total > 0 ? used / total : 0;
  const says = `${gib(used)} of ${gib(total)} (${Math.round(share * 100)}%)`;
  return (
    <div className="bar-row">
      <span>{label}</span>
      <div className="bar" role="img" aria-label={`${label}: ${says}`}>
        {parts.map(({ name, bytes }) => (
          <span
            key={name}
            className={`part ${name.replaceAll(' ', '-').toLowerCase()}`}
            style={{ width: `${total > 0 ? (100 * bytes) / total : 0}%` }}
            title={`${name} ${gib(bytes)}`}
          />
        ))}
      </div>
      <span className={share > 0.95 ? 'bad-text' : ''}>{says}</span>
      {parts.length > 1 && (
        <ul className="legend">
          {parts.map(({ name, bytes }) => (
            <li key={name}>
              <span className={`part ${name.replaceAll(' ', '-').toLowerCase()}`} /> {name} {gib(bytes)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function gib(bytes: number): string {
  const value = bytes / GIB;
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} GiB`;
}
