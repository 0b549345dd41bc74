import { setTimeout as sleep } from 'node:timers/promises';

export interface SenderWorld {
  readonly org: string;
  readonly authorization: string;
  readonly rooms: readonly string[];
  readonly nodes: () => readonly string[];
}

export interface Sender {
  /** Ids of messages that were answered for, by room. */
  readonly sent: ReadonlyMap<string, readonly string[]>;
  /** Tries beyond the first of a message. */
  readonly retries: () => number;
  /** Sends no more; resolves when what was begun has been answered. */
  readonly stop: () => Promise<void>;
}

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/** Sends a message every so many milliseconds, to any room by any node, and again under its key until it is answered. */
export function startSender({ org, authorization, rooms, nodes }: SenderWorld, everyMs: number): Sender {
  const sent = new Map<string, string[]>(rooms.map((room) => [room, []]));
  let stopped = false;
  let retries = 0;

  async function send(room: string): Promise<string> {
    const key = crypto.randomUUID();
    for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, 1_000)) {
      const url = pick(nodes());
      const answer = url === undefined ? undefined : await post(`${url}/orgs/v1/${org}/rooms/${room}/messages`, key);
      if (answer?.status === 201) return answer.messageId;
      if (answer !== undefined && answer.status < 500 && answer.status !== 429 && answer.status !== 409)
        throw new Error(`A message was answered ${answer.status}: ${answer.text}`);
      retries++;
      await sleep(delayMs);
    }
  }

  async function post(url: string, key: string) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ body: `soak ${key}` }),
      });
      const text = await response.text();
      const messageId: string = response.status === 201 ? JSON.parse(text).message_id : '';
      return { status: response.status, text, messageId };
    } catch {
      // Its node went away; it is unknown what came of it.
      return undefined;
    }
  }

  const running = (async () => {
    for (let due = performance.now(); !stopped; due += everyMs) {
      const room = pick(rooms);
      sent.get(room)!.push(await send(room));
      const left = due + everyMs - performance.now();
      if (left > 0) await sleep(left);
      else due = performance.now() - everyMs;
    }
  })();
  return {
    sent,
    retries: () => retries,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
