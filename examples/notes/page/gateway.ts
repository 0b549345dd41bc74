import type { PageConfig } from '../page-config.ts';
import { type Session, SessionStore } from './session-store.ts';

/** A request that was refused, with the gateway's own words. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** All that a frontend asks of the gateway: who is signed in, rows, and word of changes to them. */
export class Gateway {
  readonly #config: PageConfig;
  readonly #store: SessionStore;
  #session: Session | undefined;
  #refreshing: Promise<void> | undefined;

  private constructor(config: PageConfig, store: SessionStore, session: Session | undefined) {
    this.#config = config;
    this.#store = store;
    this.#session = session;
  }

  /** With whoever is signed in since an earlier visit. */
  static async open(config: PageConfig): Promise<Gateway> {
    const store = new SessionStore(config.project_id);
    return new Gateway(config, store, await store.read());
  }

  /** The address of who is signed in. */
  get email(): string | undefined {
    return this.#session?.user.email;
  }

  async signUp(email: string, password: string): Promise<void> {
    await this.#ask('POST', '/auth/v1/signup', { email, password });
    await this.signIn(email, password);
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.#keep(await this.#ask('POST', '/auth/v1/token?grant_type=password', { email, password }));
  }

  async signOut(): Promise<void> {
    const session = this.#session;
    await this.#keep(undefined);
    if (session !== undefined) await this.#send('POST', '/auth/v1/logout', {}, session.access_token);
  }

  /** Asks as who is signed in; a token that has run out is renewed once. @throws Refusal */
  async request<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#answerOf(await this.#sendSigned(() => this.#send(method, path, body, this.#session?.access_token)));
  }

  /**
   * Tells of changes to tables until it is stopped or nobody is signed in any more, also across interruptions: every
   * stream begins where the one before it ended. What changed is told and not how: read the rows again.
   *
   * @throws Refusal where to come back would not help
   */
  async follow(tables: readonly string[], changed: () => void, stop: AbortSignal): Promise<void> {
    let cursor = '';
    let failures = 0;
    const { project_id } = this.#config;
    const path = `/live/v1?${new URLSearchParams({ project_id, tables: tables.join(',') })}`;
    while (!stop.aborted) {
      const silence = new Silence();
      const signal = AbortSignal.any([stop, silence.signal]);
      try {
        const headers: Record<string, string> = cursor === '' ? {} : { 'last-event-id': cursor };
        const stream = await this.#sendSigned(() =>
          this.#send('GET', path, undefined, this.#session?.access_token, headers, signal),
        );
        if (!stream.ok) await this.#answerOf(stream);
        failures = 0;
        for await (const { event, id } of framesOf(stream.body!, () => silence.broken())) {
          cursor = id ?? cursor;
          // Something may have changed before the stream stood, so that its opening counts too.
          if (event === 'change' || event === 'resync' || event === 'ready') changed();
        }
      } catch (error) {
        if (error instanceof Refusal && error.status === 401) return;
        if (error instanceof Refusal && error.status < 500 && error.status !== 429) throw error;
        // Broken off: the next stream tells what was missed. Many who lost theirs together do not come back together.
        failures += 1;
      } finally {
        silence.end();
      }
      if (!stop.aborted) await pause(Math.min(30_000, 1_000 * 2 ** failures) * (0.5 + Math.random() / 2));
    }
  }

  async #sendSigned(send: () => Promise<Response>): Promise<Response> {
    const used = this.#session;
    const response = await send();
    if (response.status !== 401 || used === undefined) return response;
    // Another request may have had it renewed meanwhile.
    if (this.#session === used)
      await (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)));
    return send();
  }

  /** A refresh token is good for one use: of the tabs that want it, one uses it, and the others take what came of it. */
  #refresh(): Promise<void> {
    return navigator.locks.request(`notes.session.${this.#config.project_id}`, async () => {
      const used = this.#session?.refresh_token;
      this.#session = await this.#store.read();
      const refresh_token = this.#session?.refresh_token;
      if (refresh_token === undefined || refresh_token !== used) return;
      try {
        await this.#keep(await this.#ask('POST', '/auth/v1/token?grant_type=refresh_token', { refresh_token }));
      } catch (error) {
        if (error instanceof Refusal && error.status === 401) await this.#keep(undefined);
        throw error;
      }
    });
  }

  async #ask<Answer>(method: string, path: string, body: unknown): Promise<Answer> {
    return this.#answerOf(await this.#send(method, path, body));
  }

  #send(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    more: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const headers: Record<string, string> = { apikey: this.#config.anon_key, ...more };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const text = body === undefined ? null : JSON.stringify(body);
    return fetch(this.#config.api_base + path, { method, headers, body: text, signal: signal ?? null });
  }

  async #answerOf<Answer>(response: Response): Promise<Answer> {
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    if (!response.ok) throw new Refusal(response.status, answer?.message ?? response.statusText);
    return answer;
  }

  async #keep(session: Session | undefined): Promise<void> {
    this.#session = session;
    await this.#store.write(session);
  }
}

/** Aborts when nothing was heard for long. A connection may be gone without a word, after the sleep of a laptop for one. */
class Silence {
  readonly #gone = new AbortController();
  readonly signal = this.#gone.signal;
  #timer = this.#start();

  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #start() {
    // The gateway gives a sign of life every 15 seconds.
    return setTimeout(() => this.#gone.abort(), 40_000);
  }
}

/**
 * The events of a stream of server-sent events; comments, which keep it alive, are left out.
 *
 * @param heard called whenever something came, a comment too
 */
async function* framesOf(body: ReadableStream<Uint8Array>, heard: () => void) {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    text += decoder.decode(value, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop()!;
    for (const frame of frames) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1];
      const event = field('event');
      if (event !== undefined) yield { event, id: field('id') };
    }
  }
}
