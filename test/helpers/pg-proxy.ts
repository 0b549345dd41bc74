import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A commit whose answer is kept from the gateway. */
export interface FrozenCommit {
  /** Postgres has committed and answered; the gateway does not know it. */
  readonly answered: Promise<void>;
  /** Breaks the connection, so that the gateway never learns. */
  readonly lose: () => void;
  /** Hands the answer on after all. */
  readonly thaw: () => void;
}

export interface PgProxy {
  /** The database's URL by way of the proxy. */
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  readonly cut: () => void;
  /** From now on nothing that is sent arrives, and nobody is told: a machine that vanished. */
  readonly stall: () => void;
  /** New connections get through again; those that fell silent stay as they are. */
  readonly mend: () => void;
  /** What each client asked for when it connected, by name. */
  readonly startups: readonly ReadonlyMap<string, string>[];
  /** What was asked in one go, up to a Sync or as a text of its own: a question and an answer on their way. */
  readonly trips: readonly Trip[];
  /**
   * Keeps back the answer to the commit of the next transaction that sends a statement like `statement`. Postgres gets
   * the commit and carries it out.
   */
  readonly freezeCommit: (statement: RegExp) => FrozenCommit;
  readonly close: () => Promise<void>;
}

export interface Trip {
  /** The connection it went by. */
  readonly link: number;
  /** Texts of the statements, in order. */
  readonly texts: readonly string[];
}

/** What waits for its transaction, or holds its answer. */
interface Freeze {
  readonly statement: RegExp;
  readonly hold: (link: { readonly lose: () => void; readonly thaw: () => void }) => void;
  readonly answered: () => void;
}

/** A way to Postgres that can be cut or fall silent, and that understands the protocol well enough to lose the answer of a commit. */
export async function startPgProxy(databaseUrl: string): Promise<PgProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const freezes: Freeze[] = [];
  const startups: Map<string, string>[] = [];
  const trips: Trip[] = [];
  let links = 0;
  let open = true;
  let stalled = false;

  const server = createServer((near) => {
    if (!open) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.once('data', (part) => startups.push(startupOf(part)));
    const link = links++;
    relay(near, far, freezes, { stalled: () => stalled, onTrip: (texts) => trips.push({ link, texts }) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const via = new URL(databaseUrl);
  via.port = String((server.address() as AddressInfo).port);
  via.hostname = '127.0.0.1';

  const cut = () => {
    open = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: via.href,
    cut,
    stall: () => {
      stalled = true;
    },
    mend: () => {
      open = true;
      stalled = false;
    },
    startups,
    trips,
    freezeCommit(statement) {
      const answered = Promise.withResolvers<void>();
      const held = Promise.withResolvers<{ readonly lose: () => void; readonly thaw: () => void }>();
      freezes.push({ statement, hold: held.resolve, answered: answered.resolve });
      return {
        answered: answered.promise,
        lose: () => void held.promise.then((link) => link.lose()),
        thaw: () => void held.promise.then((link) => link.thaw()),
      };
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Copies both ways, reading along. */
function relay(
  near: Socket,
  far: Socket,
  freezes: Freeze[],
  { stalled, onTrip }: { readonly stalled: () => boolean; readonly onTrip: (texts: readonly string[]) => void },
): void {
  /** Texts of the statements that this connection has prepared, by name. */
  const prepared = new Map<string, string>();
  /** Statements of the transaction that is open. */
  let sent: string[] = [];
  /** Statements of the trip that is being sent. */
  let together: string[] = [];
  let kept: Buffer[] | undefined;
  let holding: Freeze | undefined;

  const asked = (text: string) => {
    together.push(text);
    const command = text.trim().toLowerCase();
    if (command === 'begin') sent = [];
    else if (command !== 'commit') sent.push(text);
    else {
      const index = freezes.findIndex(({ statement }) => sent.some((one) => statement.test(one)));
      if (index < 0) return;
      [holding] = freezes.splice(index, 1);
      kept = [];
      holding!.hold({
        lose: () => near.destroy(),
        thaw: () => {
          for (const part of kept ?? []) near.write(part);
          kept = undefined;
        },
      });
    }
  };

  // The first message of a client has no type.
  const fromClient = messages((type, body) => {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
    if (type === 'P') prepared.set(first, second);
    else if (type === 'B') asked(prepared.get(second) ?? '');
    else if (type === 'Q') asked(first);
    if (type !== 'Q' && type !== 'S') return;
    onTrip(together);
    together = [];
  }, true);
  const fromServer = messages((type) => {
    // Ready for the next query: the commit is done.
    if (type === 'Z' && holding !== undefined) {
      holding.answered();
      holding = undefined;
    }
  }, false);

  // Whoever fell silent stays so: what was lost on the way cannot be made up for.
  let silent = false;
  near.on('data', (part) => {
    silent ||= stalled();
    if (silent) return;
    fromClient(part);
    far.write(part);
  });
  far.on('data', (part) => {
    silent ||= stalled();
    if (silent) return;
    if (kept === undefined) near.write(part);
    else kept.push(part);
    fromServer(part);
  });
}

/** Splits a stream of the Postgres protocol into its messages. */
function messages(onMessage: (type: string, body: Buffer) => void, untypedFirst: boolean): (part: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let untyped = untypedFirst;
  return (part) => {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (;;) {
      const head = untyped ? 0 : 1;
      if (rest.length < head + 4) return;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return;
      if (!untyped) onMessage(String.fromCharCode(rest[0]!), rest.subarray(5, end));
      untyped = false;
      rest = rest.subarray(end);
    }
  };
}

/** The parameters of a startup message: length, protocol version, then names and values that end in a zero byte. */
function startupOf(message: Buffer): Map<string, string> {
  const texts = message.subarray(8).toString('utf8').split('\0');
  const given = new Map<string, string>();
  for (let at = 0; at + 1 < texts.length && texts[at] !== ''; at += 2) given.set(texts[at]!, texts[at + 1]!);
  return given;
}
