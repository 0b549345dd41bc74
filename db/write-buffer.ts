import type { Duplex } from 'node:stream';
import type { Column, Wire } from './pipeline-read.ts';

/** The driver's connection, as far as it is spoken with here. */
export interface Connection extends Wire {
  readonly stream: Duplex;
  /** What is being prepared on it under a name, and not answered yet. */
  readonly submittedNamedStatements: Record<string, string>;
  _send(bytes: Buffer): void;
}

/** Where statements are written down before they are sent in one piece. */
export interface WriteBuffer {
  readonly parts: Buffer[];
  readonly whole: Wire;
  /** Nothing written on it ends in a Sync. */
  readonly describing: Wire;
  /** Nor asks for columns. */
  readonly plain: Wire;
  /** Columns of what was answered on the connection, by name; null: it answers no rows. */
  readonly columns: Map<string, readonly Column[] | null>;
}

const papers = new WeakMap<Connection, WriteBuffer>();

export function paperOf(connection: Connection): WriteBuffer {
  let paper = papers.get(connection);
  if (paper === undefined) {
    const parts: Buffer[] = [];
    const nothing = { value: () => undefined };
    const whole: Wire = Object.create(connection, { _send: { value: (bytes: Buffer) => void parts.push(bytes) } });
    const describing: Wire = Object.create(whole, { sync: nothing });
    const plain: Wire = Object.create(describing, { describe: nothing });
    paper = { parts, whole, describing, plain, columns: new Map() };
    papers.set(connection, paper);
  }
  return paper;
}

/** Sends what is written on a connection's paper, with a Sync behind it. */
export function sendPaper(connection: Connection): void {
  const { parts, whole } = paperOf(connection);
  whole.sync();
  const bytes = Buffer.concat(parts);
  parts.length = 0;
  if (connection.stream.writable) connection.stream.write(bytes);
}
