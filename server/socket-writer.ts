import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { Turns } from '../db/turns.ts';
import { joined, type Payload } from './socket-frames.ts';

/** Beyond so many bytes that a client has not taken yet it is sent nothing more, until it has taken all. */
const waitingBytesMax = 256 * 1024;

/**
 * The queue of a socket: what waits for its client and what would be waiting, had it not stopped taking. Beyond so many
 * bytes the socket is closed, and its client resumes by cursor.
 */
const queueBytesMax = 4 * 1024 * 1024;
/** How much a client may ask for while its queue is full. */
const askedMax = 100;
/** Events that may be made up for a client at once while it is behind. */
const turnsMax = 8;

/** How long sockets are written to in one turn of the event loop, in milliseconds. */
const turnMs = 4;
/** The longest rest after writing to many sockets, in milliseconds. */
const restMsMax = 16;

/**
 * The sending half of a socket for events, which come made up as frames: whatever becomes due in one turn of the event
 * loop leaves in one write. Everything else goes through the WebSocket itself, after a `flush`.
 */
export class SocketWriter {
  readonly #client: WebSocket;
  readonly #socket: Duplex;
  readonly #outbox: Outbox;
  #due: Buffer[] | undefined;
  #dueBytes = 0;
  #draining: Promise<void> | undefined;
  /** What it was not sent since it last took everything. */
  #missedBytes = 0;
  /** What its client asked for since its queue was last not full. */
  #askedInVain = 0;
  #turns: Turns | undefined;
  readonly #onOverrun: () => void;

  /**
   * @param socket what `client` itself writes to
   * @param onOverrun told, maybe more than once, that more waits than may
   */
  constructor(client: WebSocket, socket: Duplex, outbox: Outbox, onOverrun: () => void) {
    this.#client = client;
    this.#socket = socket;
    this.#outbox = outbox;
    this.#onOverrun = onOverrun;
  }

  /** What its client has not taken yet. */
  get #waitingBytes(): number {
    return this.#dueBytes + this.#socket.writableLength;
  }

  /** So much waits to be taken that nothing more is to be sent. What waits for a socket that is gone, waits no more. */
  get full(): boolean {
    return !this.#socket.destroyed && this.#waitingBytes > waitingBytesMax;
  }

  /**
   * Resolves when everything was taken, or the client has gone. As long as it is `full` it never resolves within
   * the same turn of the event loop: who waits in a loop would hold up the whole server.
   */
  drained(): Promise<void> {
    this.flush();
    // What a stream needs is not all: one that is ending needs no drain, however much it has left. It closes.
    if (!this.full && !this.#socket.writableNeedDrain) return Promise.resolve();
    this.#draining ??= new Promise((resolve) => {
      const done = () => {
        this.#draining = undefined;
        this.#missedBytes = 0;
        this.#socket.off('drain', done);
        this.#socket.off('close', done);
        resolve();
      };
      this.#socket.on('drain', done);
      this.#socket.on('close', done);
    });
    return this.#draining;
  }

  turn<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#turns ??= new Turns(turnsMax);
    return this.#turns.take(run);
  }

  /** Its client takes nothing, and more has come for it: that counts as if it were waiting, for it is what it will ask for. */
  miss(bytes: number): void {
    if (!this.full) return;
    this.#missedBytes += bytes;
    if (this.#waitingBytes + this.#missedBytes > queueBytesMax) this.#onOverrun();
  }

  /** Its client asks for something. Answers are queued, too: who only asks and takes nothing is sent away. */
  asked(): void {
    if (this.#waitingBytes <= queueBytesMax) this.#askedInVain = 0;
    else if (++this.#askedInVain > askedMax) this.#onOverrun();
  }

  /** Sends events of a subscription. @param opening see `openingOf` */
  send(payloads: readonly Payload[], id: string, opening: Buffer): void {
    if (this.#due === undefined) {
      this.#due = [];
      this.#outbox.add(this);
    }
    for (const frame of this.#outbox.framesOf(payloads, id, opening)) {
      this.#due.push(frame);
      this.#dueBytes += frame.length;
    }
  }

  flush(): void {
    const due = this.#due;
    if (due === undefined) return;
    this.#due = undefined;
    this.#dueBytes = 0;
    // After its goodbye nothing may follow; its client resumes from a cursor.
    if (this.#client.readyState !== this.#client.OPEN) return;
    this.#outbox.writes++;
    const parts = joined(due);
    if (parts.length === 1) return void this.#socket.write(parts[0]!);
    this.#socket.cork();
    for (const part of parts) this.#socket.write(part);
    this.#socket.uncork();
  }
}

/** Sockets that have something due. */
export class Outbox {
  /** Writes to sockets that carried events. */
  writes = 0;
  #waiting: SocketWriter[] = [];
  #resting: (() => void)[] = [];
  #writing = false;
  #latest: Made | undefined;

  /**
   * Frames of payloads that are due together. Sockets of an audience are sent the same payloads one after the other, and
   * many clients call their subscription alike: then the frames are the same, too.
   */
  framesOf(payloads: readonly Payload[], id: string, opening: Buffer): readonly Buffer[] {
    if (this.#latest?.payloads === payloads && this.#latest.id === id) return this.#latest.frames;
    const parts: Buffer[] = [];
    for (const payload of payloads) payload.addTo(parts, opening);
    const frames = joined(parts);
    this.#latest = { payloads, id, frames };
    return frames;
  }

  add(writer: SocketWriter): void {
    if (this.#waiting.push(writer) === 1 && !this.#writing) this.#schedule();
  }

  /**
   * Resolves when what is due now has been written, and the server has had a while for other things: as long as the
   * writing took, so that what becomes due meanwhile leaves in one go.
   */
  rested(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#resting.push(resolve));
  }

  #schedule(): void {
    setImmediate(() => {
      this.#writing = true;
      const [writers, resting] = [this.#waiting, this.#resting];
      this.#waiting = [];
      this.#resting = [];
      this.#write(writers, resting, 0, 0);
    });
  }

  /** Writes for a few milliseconds, then lets others have a turn and goes on. */
  #write(writers: readonly SocketWriter[], resting: readonly (() => void)[], from: number, spentMs: number): void {
    const startedAt = performance.now();
    let next = from;
    let elapsed = 0;
    while (next < writers.length && elapsed < turnMs) {
      const end = Math.min(next + 32, writers.length);
      while (next < end) writers[next++]!.flush();
      elapsed = performance.now() - startedAt;
    }
    const spent = spentMs + elapsed;
    if (next < writers.length) return void setImmediate(() => this.#write(writers, resting, next, spent));
    this.#writing = false;
    this.#latest = undefined;
    if (this.#waiting.length > 0) this.#schedule();
    const wake = () => {
      for (const resolve of resting) resolve();
    };
    if (spent < 1) wake();
    else setTimeout(wake, Math.min(spent, restMsMax));
  }
}

interface Made {
  readonly payloads: readonly Payload[];
  readonly id: string;
  readonly frames: readonly Buffer[];
}
