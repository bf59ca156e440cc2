import { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { takeTables } from '../src/wire/reference-tables.ts';
import { TABLE_FILES } from './table-files.ts';

takeTables(TABLE_FILES);

// Every server that a test talks to is on this machine. Files of one worker share the prototype.
const OWN = new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)));
const { connect } = Socket.prototype;

type Place = { readonly host?: string; readonly path?: string };

function connectHere(this: Socket, ...args: unknown[]): Socket {
  // `net.connect` hands its own options on in a list.
  const [first, second] = args.flat();
  const { host = 'localhost', path } = (typeof first === 'object' ? first : { host: second }) as Place;
  const isHere = path !== undefined || /^(?:localhost$|127\.|::1$)/.test(host) || OWN.has(host);
  if (!isHere) throw new Error(`A test connects to ${host}: only servers on this machine may be asked.`);
  return Reflect.apply(connect, this, args);
}

if (connect.name !== connectHere.name) Socket.prototype.connect = connectHere as typeof connect;
