import type { Connection, SocketLike } from './connection.ts';
import { jsonOf, localError, SvcError } from './errors.ts';
import { writeJson } from './exact-json.ts';
import { type GraphQLFailure, SvcGraphQLError } from './graphql.ts';

/** What a socket tells about itself, for a banner. */
export type SocketState = 'connecting' | 'open' | 'waiting' | 'closed';

/** One operation on a socket. */
export interface SocketOperation {
  /** What is subscribed to, asked anew for each connection: where it goes on changes. */
  readonly payload: () => object;
  readonly next: (data: unknown) => void;
  /** It is over: with what the server refused it by, or what kept it from being asked; without one the server ended it. */
  readonly end: (error?: unknown) => void;
}

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** Of graphql-transport-ws; whatever else closes a socket passes. */
const finalCodes = [4400, 4401, 4403, 4406, 4409, 4429];
/** A server that says nothing for so long is asked whether it is there, and believed gone after as long again. */
const silenceMs = 20_000;
const longestPauseMs = 15_000;
/** A connection that held for so long was a good one: what breaks it later is the first break again. */
const steadyMs = 5_000;

/** A socket of a connection. It is open while it is used, and reconnects when it is lost. */
export class Socket {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #operations = new Map<string, SocketOperation>();
  #socket: SocketLike | undefined;
  #isReady = false;
  #failures = 0;
  #isRenewed = false;
  /** When the gateway took the connection, in milliseconds since 1970. */
  #takenAt = Number.POSITIVE_INFINITY;
  #lastId = 0;
  /** Counts beginnings and ends: what waited for something meanwhile is told by it that it is out of date. */
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** Starts an operation; the answer ends it. */
  run(operation: SocketOperation): () => void {
    const id = String(++this.#lastId);
    this.#operations.set(id, operation);
    if (this.#isReady) this.#send({ id, type: 'subscribe', payload: operation.payload() });
    // Others that wait for a socket have seen to one.
    else if (this.#operations.size === 1) {
      this.#beginAnew();
      void this.#open();
    }
    return () => {
      if (!this.#operations.delete(id)) return;
      if (this.#isReady) this.#send({ id, type: 'complete' });
      if (this.#operations.size === 0) this.#close();
    };
  }

  #say(state: SocketState): void {
    this.#connection.options.onSocket?.(state);
  }

  async #open(): Promise<void> {
    const { baseUrl, options } = this.#connection;
    const turn = ++this.#turn;
    this.#say('connecting');
    let init: Readonly<Record<string, string>> | undefined;
    try {
      // Whatever is sent over the socket goes by this.
      init = await options.credential?.headers({ baseUrl, path: this.#path, isChange: true });
    } catch (error) {
      // A wallet that refused to sign is not asked again; its own error is passed on.
      return turn === this.#turn ? this.#fail(error) : undefined;
    }
    if (turn !== this.#turn) return;
    const Maker = options.WebSocket ?? globalThis.WebSocket;
    // This is not awaited: an exception would be unhandled.
    if (Maker === undefined) return this.#fail(localError('There is no WebSocket here: give one as an option.'));
    let socket: SocketLike;
    try {
      socket = new Maker(baseUrl.replace(/^http/, 'ws') + this.#path, 'graphql-transport-ws');
    } catch (error) {
      return this.#fail(localError(`No socket can be opened: ${String(error)}`, error));
    }
    this.#socket = socket;
    this.#listen(false);
    let isOpened = false;
    socket.onopen = () => {
      isOpened = true;
      this.#send({ type: 'connection_init', payload: init });
    };
    socket.onmessage = ({ data }: { readonly data: unknown }) => {
      if (this.#socket !== socket) return;
      this.#listen(false);
      const message = jsonOf(String(data)) as Message | null | undefined;
      if (typeof message?.type === 'string') return this.#take(message);
      // The other side is no gateway.
      void this.#lost(1002, 'not a message');
      socket.close();
    };
    socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) => {
      if (this.#socket === socket) void this.#lost(code, reason, init);
    };
    // What went wrong is told by the closing that follows; Node.js 22 lets none follow where no connection came about.
    socket.onerror = () => {
      if (!isOpened && this.#socket === socket) void this.#lost(1006, 'no connection', init);
    };
  }

  #send(message: Message): void {
    // A socket that is closing takes nothing; what is meant for it is said again on the next one.
    if (this.#socket?.readyState === 1) this.#socket.send(writeJson(message));
  }

  #take({ type, id = '', payload }: Message): void {
    const operation = this.#operations.get(id);
    if (type === 'ping') this.#send({ type: 'pong' });
    else if (type === 'connection_ack') {
      this.#isReady = true;
      this.#takenAt = Date.now();
      this.#say('open');
      for (const [id, { payload }] of this.#operations) this.#send({ id, type: 'subscribe', payload: payload() });
    } else if (operation === undefined) return;
    else if (type === 'next') {
      const { data, errors } = (payload ?? {}) as { readonly data?: unknown; readonly errors?: unknown };
      // Whatever tells something is no waste of time.
      this.#failures = 0;
      if (errors === undefined && data != null) operation.next(data);
      else this.#end(id, new SvcGraphQLError(failuresIn(errors), data));
    } else if (type === 'error') this.#end(id, new SvcGraphQLError(failuresIn(payload)), true);
    else if (type === 'complete') this.#end(id, undefined, true);
  }

  /** @param isOver whether the server has ended it already */
  #end(id: string, error: SvcError | undefined, isOver = false): void {
    const operation = this.#operations.get(id);
    this.#operations.delete(id);
    if (!isOver) this.#send({ id, type: 'complete' });
    operation?.end(error);
    if (this.#operations.size === 0) this.#close();
  }

  /** Asks a silent server whether it is there. */
  #listen(isAsked: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (isAsked) {
        const socket = this.#socket;
        void this.#lost(1006, 'no answer to a ping');
        return socket?.close();
      }
      this.#send({ type: 'ping' });
      this.#listen(true);
    }, silenceMs);
  }

  async #lost(code: number, reason: string, init: Readonly<Record<string, string>> = {}): Promise<void> {
    // A server that accepts each connection only to close it is not asked again without a pause.
    if (Date.now() - this.#takenAt > steadyMs) this.#beginAnew();
    this.#forget();
    if (this.#operations.size === 0) return this.#say('closed');
    const { credential } = this.#connection.options;
    if ((code === 4401 || code === 4403) && !this.#isRenewed && credential?.renew !== undefined) {
      this.#isRenewed = true;
      const turn = this.#turn;
      const isRenewed = await credential.renew(init, refused(code, reason)).catch(() => false);
      if (turn !== this.#turn) return;
      if (isRenewed) return this.#open();
    }
    if (finalCodes.includes(code)) return this.#fail(refused(code, reason));
    this.#say('waiting');
    // Those that were thrown off together do not come back together.
    const pauseMs = Math.min(longestPauseMs, 250 * 2 ** this.#failures++) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => void (this.#operations.size > 0 && this.#open()), pauseMs);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#turn++;
    this.#socket = undefined;
    this.#isReady = false;
    this.#takenAt = Number.POSITIVE_INFINITY;
  }

  #beginAnew(): void {
    this.#failures = 0;
    this.#isRenewed = false;
  }

  #fail(error: unknown): void {
    this.#forget();
    const ended = [...this.#operations.values()];
    this.#operations.clear();
    this.#say('closed');
    for (const operation of ended) operation.end(error);
  }

  #close(): void {
    const socket = this.#socket;
    this.#forget();
    socket?.close(1000);
    this.#say('closed');
  }
}

/** What was said to have failed; for a reply in an unknown shape it is only known that something did. */
const failuresIn = (told: unknown): readonly GraphQLFailure[] =>
  Array.isArray(told) ? told : [{ message: 'The gateway told of a failure, but not of which.' }];

/**
 * What a socket was closed with for good. Its credential is at fault where the code says so; a gateway then says the rest
 * in the reason, as JSON.
 */
function refused(closeCode: number, reason: string): SvcError {
  const base = { close_code: closeCode };
  if (closeCode !== 4401 && closeCode !== 4403)
    return new SvcError({ code: 'SOCKET_REFUSED', message: reason, category: 'client', details: base }, 0);
  const next_actions = [{ type: 'authenticate', why: 'The credential of the socket is not valid.' }];
  const told = jsonOf(reason) as { readonly code?: unknown } | null | undefined;
  const { code, ...why } = typeof told?.code === 'string' ? (told as { readonly code: string }) : noCode;
  const message = code === noCode.code ? reason : 'The credential of the socket was refused.';
  return new SvcError({ code, message, category: 'auth', details: { ...base, ...why }, next_actions }, 401);
}

/** For a reply without a reason. */
const noCode = { code: 'UNAUTHORIZED' };

const sockets = new WeakMap<Connection, Map<string, Socket>>();

/** The one socket of a connection to a graph. */
export function socketOf(connection: Connection, path: string): Socket {
  const own = sockets.get(connection) ?? new Map<string, Socket>();
  sockets.set(connection, own);
  const socket = own.get(path) ?? new Socket(connection, path);
  own.set(path, socket);
  return socket;
}
