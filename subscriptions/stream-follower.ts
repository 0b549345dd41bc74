import { setImmediate } from 'node:timers/promises';
import type { Reader } from './follower.ts';

/** One subscriber of events that no feed of rows gives out: it shares with no other, and is read no faster than it takes. */
export function followStream<Event, Sent>(
  events: AsyncIterable<Event>,
  render: (event: Event) => Promise<Sent>,
  reader: Reader<Sent>,
): { readonly stop: () => void } {
  const iterator = events[Symbol.asyncIterator]();
  let gone = false;
  void read();
  return { stop };

  function stop(): void {
    if (gone) return;
    gone = true;
    // It ends by itself; no client waits for what goes wrong on the way.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }

  async function read(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await iterator.next();
        if (gone) return;
        if (done === true) break;
        await reader.turn(async () => {
          const sent = await render(value);
          while (reader.full && !gone) {
            await reader.drained();
            await setImmediate();
          }
          if (!gone) reader.send([sent]);
        });
        if (gone) return;
      }
      gone = true;
      reader.end();
    } catch (error) {
      if (gone) return;
      stop();
      reader.end(error);
    }
  }
}
