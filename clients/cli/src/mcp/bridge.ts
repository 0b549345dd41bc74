import { ExactNumber, parseExactJson } from '../exact-json.ts';
import { pause } from '../progress.ts';
import { type Arguments, eased, type ListedTool, toolsIn, withDefaults } from './defaults.ts';
import { ask } from './gateway.ts';
import type { Bound, McpBridgeHost, ProjectKeys } from './host.ts';
import { answered, callLocal, localTools } from './local-tools.ts';
import { isObject, linesOf, type Message, revisionOf, rpcError } from './messages.ts';
import { RoomSelf } from './self.ts';

/** Tools of a project’s own surfaces, with the key that each is opened by: one that is cached here will do. */
const keysOfTools: Readonly<Record<string, (args: Arguments) => keyof ProjectKeys>> = {
  rest_query: ({ key_type }) => (key_type === 'service' ? 'service_key' : 'anon_key'),
  request_magic_link: ({ intent }) => (intent === 'invite' ? 'service_key' : 'anon_key'),
  verify_magic_link: () => 'anon_key',
  set_user_password: () => 'anon_key',
  passkey_register_options: () => 'anon_key',
  passkey_register_verify: () => 'anon_key',
  passkey_login_options: () => 'anon_key',
  passkey_login_verify: () => 'anon_key',
  list_passkeys: () => 'anon_key',
  delete_passkey: () => 'anon_key',
};

/** How long answers are still waited for once nothing more is asked, in milliseconds. */
const answersMs = 10_000;

/** The tool that makes a project. */
const provision = 'provision_postgres_project';

/** The tool that makes an organization. */
const createOrg = 'create_org';

/**
 * Speaks the Model Context Protocol on standard input and output, and lets the gateway answer: every call goes there with
 * a fresh credential of this machine, filled with what this checkout is bound to. What is local by nature is done here.
 *
 * @returns the exit code: 1 where the profile is none
 */
export async function runMcpBridge(host: McpBridgeHost): Promise<number> {
  const profile = host.env.SVC_MCP_PROFILE || undefined;
  const bridge = new Bridge(host, profile);
  const refusal = await bridge.refusedProfile();
  if (refusal !== undefined) {
    host.stderr.write(`${refusal}\n`);
    return 1;
  }
  await bridge.serve();
  return 0;
}

class Bridge {
  readonly #host: McpBridgeHost;
  readonly #profile: string | undefined;
  readonly #self: RoomSelf;
  /** Requests under way, by their ids. */
  readonly #running = new Map<unknown, AbortController>();
  /** Every tool that the gateway has, by its name; asked for once. */
  #tools: Promise<ReadonlyMap<string, ListedTool>> | undefined;

  constructor(host: McpBridgeHost, profile: string | undefined) {
    this.#host = host;
    this.#profile = profile;
    this.#self = new RoomSelf(host.env);
  }

  /** Why the profile cannot be had; undefined when it can, or when the gateway cannot be reached: a host starts before its network. */
  async refusedProfile(): Promise<string | undefined> {
    if (this.#profile === undefined) return undefined;
    try {
      const response = await fetch(this.#url(), { headers: { accept: 'application/json' }, signal: this.#host.signal });
      if (response.status !== 400) return undefined;
      const { message } = (await response.json()) as { readonly message?: string };
      return `SVC_MCP_PROFILE: ${message ?? 'there is no such profile'}`;
    } catch {
      return undefined;
    }
  }

  async serve(): Promise<void> {
    const { stdin, signal } = this.#host;
    const pending = new Set<Promise<void>>();
    // A bridge that is asked to end waits for no more input.
    signal.addEventListener('abort', () => stdin.destroy(), { once: true });
    try {
      for await (const line of linesOf(stdin)) {
        if (line?.trim() === '') continue;
        const taken = this.#take(line).finally(() => pending.delete(taken));
        pending.add(taken);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    // A host that has said all may read on, as a pipe does; a host that goes says so by a signal, if this takes too long for it.
    const answered = new AbortController();
    const patience = pause({ signal: AbortSignal.any([signal, answered.signal]) }, answersMs);
    await Promise.race([Promise.all(pending), patience]);
    answered.abort();
    for (const one of this.#running.values()) one.abort();
    await Promise.all(pending);
  }

  async #take(line: string | undefined): Promise<void> {
    let value: unknown;
    try {
      value = line === undefined ? undefined : parseExactJson(line);
    } catch {
      value = undefined;
    }
    if (value === undefined) return this.#write(rpcError(null, -32_700, 'The line is not JSON, or too long.'));
    if (!Array.isArray(value)) {
      const answer = await this.#answer(value);
      if (answer !== undefined) this.#write(answer);
      return;
    }
    // One revision has batches: they are answered as one, too.
    const answers = (await Promise.all(value.map((one) => this.#answer(one)))).filter((one) => one !== undefined);
    if (answers.length > 0) this.#write(answers);
  }

  async #answer(value: unknown): Promise<Message | undefined> {
    if (!isObject(value) || value.jsonrpc !== '2.0')
      return rpcError(null, -32_600, 'The line is no message of JSON-RPC.');
    const message = value as unknown as Message;
    if (message.method === 'notifications/cancelled') this.#running.get(keyOf(message.params?.requestId))?.abort();
    // Notifications, and answers to what was not asked, need nothing said.
    if (message.method === undefined || message.id === undefined || message.id === null) return undefined;
    const controller = new AbortController();
    this.#running.set(keyOf(message.id), controller);
    try {
      return await this.#perform(message, AbortSignal.any([controller.signal, this.#host.signal]));
    } catch (error) {
      // Who cancels waits for no answer; the gateway sees the connection end, and stops.
      if (controller.signal.aborted || this.#host.signal.aborted) return undefined;
      return rpcError(message.id, -32_603, error instanceof Error ? error.message : String(error));
    } finally {
      this.#running.delete(keyOf(message.id));
    }
  }

  async #perform(message: Message, signal: AbortSignal): Promise<Message> {
    if (message.method === 'tools/list') return this.#list(message, signal);
    if (message.method === 'tools/call') return this.#call(message, signal);
    return this.#send(message, signal);
  }

  async #list(message: Message, signal: AbortSignal): Promise<Message> {
    const [answer, bound] = await Promise.all([this.#send(message, signal), this.#host.bound()]);
    if (answer.result === undefined) return answer;
    const local = localTools(this.#profile, bound);
    const theirs = toolsIn(answer.result).filter(({ name }) => !local.some((one) => one.name === name));
    const tools = [...theirs.map((tool) => eased(tool, bound)), ...local];
    // What this checkout is bound to belongs to it alone.
    const scope = 'cacheScope' in answer.result ? { cacheScope: 'private' } : {};
    return { ...answer, result: { ...answer.result, tools, ...scope } };
  }

  async #call(message: Message, signal: AbortSignal): Promise<Message> {
    const { params = {} } = message;
    const { name, arguments: given = {} } = params;
    if (typeof name !== 'string' || !isObject(given)) return this.#send(message, signal);
    // Called by way of another, it is called all the same.
    const isOther = name === 'call_tool' && typeof given.name === 'string';
    const meant = isOther ? (given.name as string) : name;
    const args = isOther ? (isObject(given.arguments) ? given.arguments : {}) : given;
    const bound = await this.#host.bound();
    const done =
      (await this.#keysKept(meant, args, bound)) ?? (await callLocal(this.#host, this.#profile, meant, args));
    if (done !== undefined) return resultOf(message, done);
    const tool = (await this.#known(signal)).get(meant);
    const filled = tool === undefined ? args : this.#self.speaking(tool, withDefaults(tool, args, bound));
    const sent = isOther ? { ...given, arguments: filled } : filled;
    const credential = await this.#credentialFor(meant, filled);
    const answer = await this.#send({ ...message, params: { ...params, arguments: sent } }, signal, credential);
    if (tool !== undefined && answer.result !== undefined && answer.result.isError !== true)
      this.#self.done(tool, filled);
    // What a project's own surfaces answer is its tenants' word.
    if (keysOfTools[meant] === undefined) await this.#keep(answer, meant);
    return answer;
  }

  /** The keys of a project as they are cached here; undefined where the gateway has to be asked. */
  async #keysKept(name: string, args: Arguments, bound: Bound): Promise<object | undefined> {
    const project = args.project_id ?? bound.project_id;
    if (name !== 'project_keys' || typeof project !== 'string' || this.#profile === 'buyer') return undefined;
    const keys = await this.#host.projectKeys(project);
    if (keys === undefined) return undefined;
    const hidden = '(hidden; call with reveal: true)';
    const shown = args.reveal === true ? keys : { anon_key: hidden, service_key: hidden };
    return {
      ...answered('Project keys', { project_id: project, ...shown }),
      structuredContent: { project_id: project, ...keys },
    };
  }

  async #credentialFor(name: string, args: Arguments): Promise<Readonly<Record<string, string>>> {
    const keyOf = keysOfTools[name];
    const project = args.project_id;
    if (keyOf !== undefined && typeof project === 'string') {
      const keys = await this.#host.projectKeys(project);
      if (keys !== undefined) return { apikey: keys[keyOf(args)] };
    }
    return this.#host.headersFor(this.#url());
  }

  /** Keeps the keys that an answer brings. What is made is what calls mean from then on. */
  async #keep({ result }: Message, tool: string): Promise<void> {
    const data = isObject(result) && result.isError !== true ? result.structuredContent : undefined;
    if (!isObject(data)) return;
    const { org_id, project_id, anon_key, service_key } = data;
    if (tool === createOrg && typeof org_id === 'string') this.#host.useOrg(org_id);
    if (typeof project_id === 'string' && typeof anon_key === 'string' && typeof service_key === 'string')
      await this.#host.saveProjectKeys(project_id, { anon_key, service_key }, tool === provision);
  }

  /** What takes which arguments, of the tools that are not listed, too. */
  #known(signal: AbortSignal): Promise<ReadonlyMap<string, ListedTool>> {
    this.#tools ??= this.#askTools(signal).catch((error: unknown) => {
      this.#tools = undefined;
      throw error;
    });
    return this.#tools;
  }

  async #askTools(signal: AbortSignal): Promise<ReadonlyMap<string, ListedTool>> {
    const url = this.#url('all');
    const message: Message = { jsonrpc: '2.0', id: 'tools', method: 'tools/list' };
    const { result } = await ask(message, { url, headers: {}, signal, onNotification: () => undefined });
    // Asked again by the next call: without the list, calls go as they are.
    if (result === undefined) this.#tools = undefined;
    return new Map(toolsIn(result).map((tool) => [tool.name, tool]));
  }

  #send(message: Message, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}): Promise<Message> {
    const onNotification = (notification: Message) => this.#write(notification);
    return ask(message, { url: this.#url(), headers, signal, onNotification });
  }

  #url(profile = this.#profile): URL {
    const url = new URL(`${this.#host.apiBase}/mcp`);
    if (profile !== undefined) url.searchParams.set('profile', profile);
    return url;
  }

  #write(message: Message | readonly Message[]): void {
    this.#host.stdout.write(`${JSON.stringify(message)}\n`);
  }
}

/** A result that was made here, as the generation of its request wants it. */
const resultOf = (message: Message, result: object): Message => ({
  jsonrpc: '2.0',
  id: message.id!,
  result: { ...result, ...(revisionOf(message) === undefined ? {} : { resultType: 'complete' }) },
});

/** What a call is found by. */
const keyOf = (id: unknown): unknown => (id instanceof ExactNumber ? id.text : id);
