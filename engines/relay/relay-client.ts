import type { WebSocket } from 'ws';
import { z } from 'zod';
import { createGuardedFetch, GuardedFetchError, type GuardedFetchOptions } from '../../core/guarded-fetch.ts';
import { openGuardedSocket } from '../../core/guarded-socket.ts';
import { readEvent, type SignedEvent, signEvent } from './signed-event.ts';

/** Relays of the protocol Nostr, as far as they are needed here: NIP-01, NIP-11 and NIP-42. */
export interface Relays {
  /** What a relay says of itself (NIP-11). @throws RelayError */
  readonly describe: (url: string) => Promise<RelayInformation>;
  /**
   * Has a relay take an event, exactly as it is written here. One that it has already counts as taken.
   *
   * @throws RelayError
   */
  readonly publish: (url: string, envelope: Envelope, who: RelayCaller) => Promise<void>;
  /** Events that a relay has, whose ids and signatures are right. @throws RelayError */
  readonly find: (url: string, filter: RelayFilter, who: RelayCaller) => Promise<readonly SignedEvent[]>;
  /**
   * Has a relay take an event, and waits for the one by which somebody answers it: of this author and kind, naming it.
   *
   * @throws RelayError
   */
  readonly ask: (url: string, event: SignedEvent, by: Answerer, who: RelayCaller) => Promise<SignedEvent>;
}

/** Whose answer is waited for. */
export interface Answerer {
  readonly author: string;
  readonly kind: number;
}

/** An event as it is sent, byte for byte. */
export interface Envelope {
  readonly id: string;
  readonly text: string;
}

export interface RelayCaller {
  /** Signs what a relay asks to know its client by. */
  readonly secret: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export type RelayFilter = Readonly<Record<string, readonly string[] | readonly number[] | number>>;

export interface RelayInformation {
  /** The public key of the relay itself; undefined where it has none. */
  readonly self: string | undefined;
  /** The public key of whoever runs it. */
  readonly operator: string | undefined;
}

/** Why a relay was of no use. */
export class RelayError extends Error {
  override readonly name = 'RelayError';
  /** Whether the relay refused, rather than not being there. */
  readonly isRefusal: boolean;

  constructor(message: string, isRefusal = false) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** How long a relay may take for all that is asked in one call, in milliseconds. */
const answerMs = 10_000;
const bytesMax = 1024 * 1024;
/** Most events of one answer that are looked at. */
const eventsMax = 200;

const Information = z.object({ self: z.string().optional(), pubkey: z.string().optional() });

const Frame = z.union([
  z.tuple([z.literal('OK'), z.string(), z.boolean()], z.unknown()),
  z.tuple([z.literal('EVENT'), z.string(), z.unknown()], z.unknown()),
  z.tuple([z.literal('EOSE'), z.string()], z.unknown()),
  z.tuple([z.literal('CLOSED'), z.string()], z.unknown()),
  z.tuple([z.literal('AUTH'), z.string().max(1_000)], z.unknown()),
]);

type Frame = z.output<typeof Frame>;

/** Kind of the event by which a client says who it is, NIP-42. */
const introductionKind = 22_242;

export function createRelays({ named = [], resolve }: Pick<GuardedFetchOptions, 'named' | 'resolve'>): Relays {
  const fetch = createGuardedFetch({ named, resolve, bytesMax: 256 * 1024 });

  /** Asks a relay one thing, and listens until it has answered. */
  async function converse<Answer>(
    url: string,
    { secret, signal }: RelayCaller,
    { asked, about, hear }: Question<Answer>,
  ): Promise<Answer> {
    const late = AbortSignal.timeout(answerMs);
    const ended = AbortSignal.any([signal, late]);
    const early: string[] = [];
    let onText = (text: string): void => void early.push(text);
    let socket: WebSocket;
    try {
      socket = await openGuardedSocket(url, {
        named,
        resolve,
        bytesMax,
        signal: ended,
        onText: (text) => onText(text),
      });
    } catch (error) {
      if (!(error instanceof GuardedFetchError)) throw error;
      throw new RelayError(error.message);
    }
    try {
      return await new Promise<Answer>((answered, failed) => {
        const ask = () => {
          for (const text of asked) socket.send(text);
        };
        let challenge: string | undefined;
        /** The event by which the relay was told who speaks. */
        let introduction: string | undefined;
        socket.on('close', () =>
          failed(new RelayError(late.aborted ? 'The relay took too long.' : 'The relay ended the connection.')),
        );
        onText = (text) => {
          const frame = readFrame(text);
          if (frame?.[0] === 'AUTH') challenge = frame[1];
          else if (frame?.[0] === 'OK' && frame[1] === introduction) {
            if (frame[2]) ask();
            else failed(refusalOf(frame[3]));
          } else if (frame !== undefined && about.includes(frame[1])) {
            const refused = refusedBy(frame);
            if (refused === undefined) hear(frame, answered);
            else if (
              isForStrangers(refused) &&
              introduction === undefined &&
              challenge !== undefined &&
              secret !== undefined
            ) {
              const event = introductionOf(secret, url, challenge);
              introduction = event.id;
              socket.send(JSON.stringify(['AUTH', event]));
            } else failed(refusalOf(refused));
          }
        };
        for (const text of early) onText(text);
        ask();
      });
    } finally {
      socket.terminate();
    }
  }

  return {
    async describe(url) {
      const address = new URL(url);
      address.protocol = address.protocol === 'ws:' ? 'http:' : 'https:';
      try {
        const answer = await fetch(address, { headers: { accept: 'application/nostr+json' } });
        const { data } = Information.safeParse(await answer.json().catch(() => undefined));
        if (!answer.ok || data === undefined) throw new RelayError('The relay does not say what it is (NIP-11).', true);
        return { self: data.self, operator: data.pubkey };
      } catch (error) {
        if (!(error instanceof GuardedFetchError)) throw error;
        throw new RelayError(error.message);
      }
    },
    publish: (url, { id, text }, who) =>
      converse<void>(url, who, {
        asked: [`["EVENT",${text}]`],
        about: [id],
        hear: (frame, answered) => {
          if (frame[0] === 'OK') answered();
        },
      }),
    find: (url, filter, who) => {
      const found: SignedEvent[] = [];
      let seen = 0;
      return converse<readonly SignedEvent[]>(url, who, {
        asked: [JSON.stringify(['REQ', subscription, filter])],
        about: [subscription],
        hear: (frame, answered) => {
          if (frame[0] === 'EVENT' && seen < eventsMax) {
            seen += 1;
            const event = readEvent(frame[2]);
            if (event !== undefined) found.push(event);
          }
          if (frame[0] === 'EOSE') answered(found);
        },
      });
    },
    ask: (url, event, { author, kind }, who) =>
      converse<SignedEvent>(url, who, {
        asked: [
          JSON.stringify(['REQ', subscription, { kinds: [kind], authors: [author], '#e': [event.id] }]),
          JSON.stringify(['EVENT', event]),
        ],
        about: [subscription, event.id],
        hear: (frame, answered) => {
          const answer = frame[0] === 'EVENT' ? readEvent(frame[2]) : undefined;
          const names = answer?.tags.some(([name, value]) => name === 'e' && value === event.id) ?? false;
          if (names && answer!.pubkey === author && answer!.kind === kind) answered(answer!);
        },
      }),
  };
}

/** One thing that a relay is asked. */
interface Question<Answer> {
  /** Frames, in order. */
  readonly asked: readonly string[];
  /** Events and subscriptions that answers name. */
  readonly about: readonly string[];
  readonly hear: (frame: Frame, answered: (answer: Answer) => void) => void;
}

const subscription = 'one';

function readFrame(text: string): Frame | undefined {
  try {
    return Frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What a relay says against what it was asked for; undefined where it says nothing against it. */
function refusedBy(frame: Frame): string | undefined {
  if (frame[0] === 'CLOSED') return textOf(frame[2]);
  const isAgainst = frame[0] === 'OK' && !frame[2] && !textOf(frame[3]).startsWith('duplicate:');
  return isAgainst ? textOf(frame[3]) : undefined;
}

const isForStrangers = (refused: string): boolean => refused.startsWith('auth-required:');

const textOf = (given: unknown): string => (typeof given === 'string' ? given : '');

/** Prefixes of what passes by itself, NIP-01; anything else is a refusal. */
const passing = /^(?:rate-limited|error):/;

function refusalOf(given: unknown): RelayError {
  const said = textOf(given)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, 300)
    .toWellFormed();
  return new RelayError(
    said === '' ? 'The relay refused, and said no reason.' : `The relay said: ${said}`,
    !passing.test(said),
  );
}

const introductionOf = (secret: Uint8Array, url: string, challenge: string): SignedEvent =>
  signEvent(secret, {
    created_at: Math.floor(Date.now() / 1_000),
    kind: introductionKind,
    tags: [
      ['relay', url],
      ['challenge', challenge],
    ],
    content: '',
  });
