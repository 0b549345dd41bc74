import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Cli } from '../../clients/cli/src/cli.ts';
import type { Command, Flag } from '../../clients/cli/src/command.ts';
import { directory } from '../../clients/cli/src/directory.ts';
import { Failure } from '../../clients/cli/src/failure.ts';
import { runForJson } from '../../clients/cli/src/run.ts';
import type { Surface } from '../../scripts/surfaces.ts';

type Json = Record<string, unknown>;

/** Commands as they are declared, in the order of the directory. */
const commands: readonly Command[] = (await Promise.all(directory.map(({ load }) => load()))).flatMap(
  ({ group }) => group.commands,
);

/** The command that stands for an operation: the one it is named for, else the one that stands for little else. */
export const commandOf = ({ name, command }: Surface): Command | undefined => {
  const own = commands.filter(({ operations, streams }) => operations?.includes(name) === true && streams !== true);
  return own.find(({ words }) => words === command) ?? own.toSorted(byOperations)[0];
};

const byOperations = (one: Command, other: Command) => one.operations!.length - other.operations!.length;

/** Who a command is run as, by what it finds. */
export interface CommandCaller {
  readonly env: Readonly<Record<string, string>>;
  readonly wallet?: { readonly address: string; readonly privateKey: string } | undefined;
}

/** Inputs that a flag or an argument of a command calls otherwise than the path does. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  fingerprint_id: ['fingerprint'],
  org_id: ['org'],
  project_id: ['project'],
  room: ['room_key'],
  org: ['org_id'],
  project: ['project_id'],
  name: ['display_name', 'requested_name', 'route_name'],
  expires: ['expires_at'],
  amount: ['amount_usd_micros'],
  ack: ['ack_required'],
  type: ['event_type'],
  thread: ['thread_id'],
  ttl: ['ttl_seconds'],
  auth_sender: ['auth_sender_mailbox_id'],
  mailbox: ['mailbox_id'],
  message_id: ['mail_id'],
  binding: ['chat_binding_id'],
  scope: ['asset_key_scopes', 'project_scope'],
  to: ['contract_address', 'destination_address', 'to_wallet', 'to_email', 'to_org_id'],
  abi: ['abi_fragment'],
  function: ['function_name'],
  recovery: ['recovery_address'],
  address: ['recovery_address'],
  branch_project_id: ['branch_id'],
  state: ['enabled'],
  topup_id: ['topup'],
  subject: ['community_subject'],
  authority: ['community_authority_subject'],
  policy: ['enrollment_policy'],
  default: ['default_for_enrollment'],
  revision: ['policy_revision', 'expected_revision'],
  community: ['community_installation_id'],
  channel: ['channel_id'],
  retain_collaborator: ['retain_collaborator_role'],
};

/** The words that call a command with these values, which go by the names of paths and inputs. */
export function wordsFor(command: Command, values: Json, furtherFlags: readonly string[] = []): string[] {
  const valueFor = (name: string): unknown => {
    const own = name.replaceAll('-', '_');
    return [own, ...(otherNames[own] ?? [])].map((one) => values[one]).find((value) => value !== undefined);
  };
  const places = (command.positionals ?? []).flatMap(({ name }) => {
    const value = valueFor(name);
    return value === undefined || value === null ? [] : [spelt(value)];
  });
  // A room is named by itself, or by the project whose default room it is.
  const hasRoom = command.flags?.some(({ name }) => name === 'room') === true;
  const inPlaces = (command.positionals ?? []).flatMap(({ name }) => [name, ...(otherNames[name] ?? [])]);
  const named = (command.flags ?? []).filter(
    ({ name }) => !(hasRoom && name === 'project') && !inPlaces.includes(name.replaceAll('-', '_')),
  );
  const flags = named.flatMap((flag) => flagWords(flag, valueFor(flag.name), values));
  return [...command.words.split(' '), ...flags, ...furtherFlags, ...(places.length === 0 ? [] : ['--', ...places])];
}

const spelt = (value: unknown): string =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? value.join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

function flagWords({ name, type, required }: Flag, value: unknown, values: Json): string[] {
  if (name === 'confirm' && type === 'boolean') return ['--confirm'];
  // What is taken away is said by a flag of its own.
  if (name === 'clear') return Object.values(values).includes(null) ? ['--clear'] : [];
  if (value === undefined || value === null) return required === true ? [`--${name}`, ''] : [];
  if (type === 'boolean') return value === true ? [`--${name}`] : [];
  return [`--${name}=${type === 'json' ? JSON.stringify(value) : spelt(value)}`];
}

/** Runs commands in this process, each in a folder of its own. */
export async function commandRunner(baseUrl: string) {
  const home = await mkdtemp(join(tmpdir(), 'svc-commands-'));
  let count = 0;
  return {
    /** @throws Failure with the envelope that the command would write */
    async run(words: readonly string[], { env, wallet }: CommandCaller): Promise<unknown> {
      count += 1;
      const config = await mkdtemp(join(home, `${count}-`));
      if (wallet !== undefined)
        await writeFile(join(config, 'allowance.json'), JSON.stringify(wallet), { mode: 0o600 });
      const cli: Omit<Cli, 'human'> = {
        env: { SVC_CONFIG_DIR: config, SVC_API_BASE: baseUrl, ...env },
        cwd: config,
        home: config,
        stdin: Readable.from([]),
        stdout: { write: () => undefined },
        stderr: { write: () => undefined },
        version: '0.0.0',
        signal: new AbortController().signal,
      };
      return runForJson(words, cli);
    },
    stop: () => rm(home, { recursive: true, force: true }),
  };
}

/** The code of what a command threw. @throws whatever is no failure of a command */
export function codeOf(thrown: unknown): string {
  if (thrown instanceof Failure) return String((thrown.envelope as { readonly code?: unknown }).code);
  throw thrown;
}
