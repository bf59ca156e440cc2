import type { ServerResponse } from 'node:http';
import { parseJson } from '../../model/json-file.ts';
import { answerRequest } from './api.ts';
import type { ClusterInMemory } from './cluster-in-memory.ts';
import type { ApiFault } from './faults.ts';
import { callerOf } from './objects/access.ts';
import type { ApiRequest } from './objects/request.ts';
import { type Answer, refuse } from './objects/status.ts';
import { send } from './send.ts';
import { isWrite, type WriteEntry } from './write/write-log.ts';

type Serving = {
  readonly cluster: ClusterInMemory;
  readonly writes: WriteEntry[];
  readonly request: ApiRequest;
  readonly text: string;
  readonly fault: ApiFault | undefined;
  /** The answer where the caller is not let in. */
  readonly stranger: Answer | undefined;
};

const BEFORE_THE_EFFECT = ['drop', 'hang', 'refuse', 'body'];

/** Answers one request, with the fault that it meets before or after its effect. */
export async function serve(response: ServerResponse, serving: Serving): Promise<void> {
  const { request, fault } = serving;
  if (!isWrite(request)) return send(response, { answer: answerTo(serving), request, fault });
  const entry = enter(serving);
  const early = fault !== undefined && !fault.after;
  if (early && BEFORE_THE_EFFECT.includes(fault.kind)) {
    const nothing = refuse(500, 'InternalError', 'not done');
    await send(response, { answer: nothing, request, fault });
  } else {
    const late = early && fault.kind === 'delay';
    // The effect comes though the client may have given up.
    if (late) await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const answer = answerTo(serving, entry);
    await send(response, { answer, request, fault: late ? undefined : fault });
  }
  entry.status = request.status;
  entry.answered = response.writableEnded;
}

function enter({ cluster, writes, request, text }: Serving): WriteEntry {
  const { method, path, query, headers, userAgent } = request;
  const entry: WriteEntry = {
    ...callerOf(headers),
    n: writes.length + 1,
    at: cluster.now(),
    method,
    path,
    query,
    body: parsed(text),
    dryRun: query.dryRun === 'All',
    userAgent,
    status: 0,
    outcome: 'not-done',
    answered: false,
  };
  writes.push(entry);
  return entry;
}

function answerTo({ cluster, request, text, stranger }: Serving, entry?: WriteEntry): Answer {
  if (stranger !== undefined) {
    if (entry !== undefined) entry.outcome = 'refused';
    return stranger;
  }
  if (request.headers['content-type']?.includes('protobuf')) {
    return refuse(415, 'UnsupportedMediaType', 'the stand-in reads JSON alone');
  }
  const body = text === '' ? undefined : parsed(text);
  if (typeof body === 'string') return refuse(400, 'BadRequest', 'the body of the request is no JSON');
  const { answer, outcome } = answerRequest(cluster, request, body);
  if (entry !== undefined) entry.outcome = outcome;
  return answer;
}

// What is no JSON stays text.
function parsed(text: string): unknown {
  return parseJson(text) ?? text;
}
