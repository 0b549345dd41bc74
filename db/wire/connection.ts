import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** What a query of the driver writes itself to. */
export interface Wire {
  sync(): void;
  describe(what: object): void;
}

/** The driver's connection, as far as it is spoken with here; the driver's types do not tell of it. */
export interface Connection extends Wire {
  readonly stream: Duplex;
  /** What is being prepared on it under a name, and not answered yet. */
  readonly submittedNamedStatements: Record<string, string>;
  on(event: 'readyForQuery', told: () => void): void;
  parse(message: { name: string; text: string; types: readonly number[] }): void;
  bind(message: { portal: string; statement: string; values: readonly unknown[] }): void;
  execute(message: { portal: string; rows: number }): void;
  close(message: { type: 'S'; name: string }): void;
  flush(): void;
  sendCopyFail(message: string): void;
  _send(bytes: Buffer): void;
}

interface ClientInside {
  readonly processID: number;
  readonly connection: Connection;
}

export const connectionOf = (client: pg.ClientBase): Connection => (client as unknown as ClientInside).connection;

/** Of the server's process that serves the connection. */
export const processIdOf = (client: pg.ClientBase): number => (client as unknown as ClientInside).processID;

/** What the driver keeps about a column of an answer. */
export interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}
