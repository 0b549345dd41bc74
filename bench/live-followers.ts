/** Follows live hints by event streams, and says which rows they told of and when. */
import { type ClientRequest, request } from 'node:http';
import { serve } from './processes.ts';

export type FollowCommand =
  | { readonly do: 'open'; readonly url: string; readonly apikey: string; readonly streams: number }
  | { readonly do: 'reset' }
  | { readonly do: 'collect' }
  | { readonly do: 'close' };

export interface Followed {
  /** Streams that are open. */
  readonly streams: number;
  /** Ids of rows and the moments at which they were told of, in microseconds, of a part of the streams. */
  readonly arrivals: readonly (readonly [id: number, at: number])[];
}

/** Reading what all of them are told would be what is measured: one in so many does. */
const readEvery = 25;

const streams: ClientRequest[] = [];
let arrivals: [number, number][] = [];

const open = (url: string, apikey: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const reads = streams.length % readEvery === 0;
    const sent = request(url, { headers: { apikey }, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`A stream was answered ${response.statusCode}.`));
      response.once('data', () => {
        resolve();
        if (!reads) return void response.resume();
        let rest = '';
        response.on('data', (part: Buffer) => {
          const now = Number(process.hrtime.bigint() / 1000n);
          rest += part.toString('latin1');
          const frames = rest.split('\n\n');
          rest = frames.pop()!;
          for (const frame of frames) {
            const id = /"id": (\d+)/.exec(frame)?.[1];
            if (id !== undefined) arrivals.push([Number(id), now]);
          }
        });
      });
      response.on('error', () => undefined);
    });
    sent.on('error', reject);
    sent.end();
    streams.push(sent);
  });

serve<FollowCommand, Followed>(async (command) => {
  if (command.do === 'open')
    for (let left = command.streams; left > 0; left -= 50)
      await Promise.all(Array.from({ length: Math.min(left, 50) }, () => open(command.url, command.apikey)));
  if (command.do === 'reset') arrivals = [];
  if (command.do === 'close') for (const one of streams.splice(0)) one.destroy();
  return { streams: streams.length, arrivals: command.do === 'collect' ? arrivals : [] };
});
