import { randomUUID } from 'node:crypto';
import type { Cli } from './cli.ts';
import type { Call, Command, Flag, Flags, Positional } from './command.ts';
import { badUsage, local } from './failure.ts';
import { readInput } from './input.ts';
import type { ApprovalTarget, Credential } from './net/credential.ts';
import { call } from './net/gateway.ts';
import type { Input, OperationSpec } from './operation-spec.ts';
import {
  findOrg,
  findProject,
  orgFlag,
  projectFlag,
  requireOrg,
  requireOrgOrProject,
  requireProject,
  requireRoom,
  roomFlag,
} from './resolve.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** How an operation is spelt as a command, beside its row. */
export interface Shape {
  /** Inputs that stand in a place rather than behind a flag, in order. */
  readonly takes?: readonly Taken[];
  /** Other names of flags, by input; null leaves an input out. */
  readonly flags?: Readonly<Record<string, string | null>>;
  /** What is said of an input here, where the operation speaks of JSON or of other clients. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Flags that stand for no input by themselves. */
  readonly more?: readonly Flag[];
  /** Inputs made from the call, or from what was read from it and looked for, as organization and project. They win. */
  readonly set?: (call: Call, found: Inputs) => Inputs | Promise<Inputs>;
  /** Whether an organization or project that is optional is looked for where none is named. @default true */
  readonly seek?: boolean;
  /** Whether a project may be named in place of its organization. */
  readonly orgByProject?: true;
  readonly about?: readonly string[];
  readonly examples?: Command['examples'];
  /** Further operations that the command runs. */
  readonly also?: readonly string[];
  /** What is printed, where that is not the answer itself. */
  readonly shown?: (answer: Record<string, unknown>, call: Call, inputs: Inputs) => unknown;
  readonly human?: Command['human'];
  readonly columns?: readonly string[];
  readonly empty?: string;
  /** Done only with `--confirm`; what it would do, in words. */
  readonly confirm?: string;
  /** What a person's session needs an approval of. */
  readonly approval?: (inputs: Inputs) => ApprovalTarget;
  readonly credential?: (cli: Cli) => Promise<Credential | undefined>;
}

export interface Taken {
  readonly input: string;
  /** How it is called on the page. @default the input’s name */
  readonly name?: string;
  readonly optional?: true;
  readonly rest?: true;
}

export const take = (input: string, more: Omit<Taken, 'input'> = {}): Taken => ({ input, ...more });

/** Ids that may be left out, because they are looked for elsewhere: a word is one only when it looks so. */
export const ids: Readonly<Record<string, { readonly only: RegExp; readonly name: string }>> = {
  org: { only: /^[0-9a-f]{8}-[0-9a-f-]{27}$/i, name: 'org_id' },
  project: { only: /^prj_/, name: 'project_id' },
  org_id: { only: /^[0-9a-f]{8}-[0-9a-f-]{27}$/i, name: 'org_id' },
  project_id: { only: /^prj_/, name: 'project_id' },
};

const limitMax = 200;

/** A command that is one operation. */
export function operationCommand(words: string, row: OperationSpec, shape: Shape = {}): Command {
  const { takes = [], about, examples = [], also = [], human, columns, empty } = shape;
  return {
    words,
    summary: row.summary,
    ...(about === undefined ? {} : { about }),
    positionals: takes.map((taken) => positionalOf(row, taken, shape)),
    flags: flagsOf(row, shape),
    examples,
    operations: [row.operation, ...also],
    ...(human === undefined ? {} : { human }),
    ...(columns === undefined ? {} : { columns }),
    ...(empty === undefined ? {} : { empty }),
    async run(invocation) {
      if (shape.confirm !== undefined && !invocation.flags.is('confirm'))
        throw local('CONFIRMATION_REQUIRED', `${shape.confirm} Give --confirm to do it.`, { field: 'confirm' });
      const inputs = await inputsOf(row, shape, invocation);
      const answer = await perform(invocation.cli, row, inputs, { ...shape, flags: invocation.flags });
      return shape.shown === undefined ? answer : shape.shown(answer, invocation, inputs);
    },
  };
}

const positionalOf = (
  row: OperationSpec,
  { input, name, optional, rest }: Taken,
  { texts }: Shape = {},
): Positional => {
  const known = ids[input];
  const { about, choices, required } = row.inputs[input]!;
  return {
    name: name ?? known?.name ?? input,
    about: texts?.[input] ?? about,
    ...(known !== undefined || optional === true || required !== true ? { optional: true as const } : {}),
    ...(known === undefined ? {} : { only: known.only }),
    ...(rest === undefined ? {} : { rest }),
    ...(choices === undefined ? {} : { choices }),
  };
};

const flagName = (row: OperationSpec, { flags = {} }: Shape, input: string): string =>
  flags[input] ?? row.inputs[input]!.as.replaceAll('_', '-');

function flagsOf(row: OperationSpec, shape: Shape): readonly Flag[] {
  const { takes = [], flags = {}, more = [], confirm, seek = true, texts } = shape;
  const own = Object.entries(row.inputs).flatMap(([input, declared]): Flag[] => {
    if (flags[input] === null || input === 'org' || input === 'room' || input === 'project') return [];
    if (takes.some((taken) => taken.input === input)) return [];
    if (input === 'org_id') return [seek ? orgFlag : { ...orgFlag, about: 'Only those of this organization.' }];
    if (input === 'project_id') return [projectFlag];
    const { type, about, required, choices, min } = declared;
    const max = declared.max ?? (input === 'limit' ? limitMax : undefined);
    return [
      {
        name: flagName(row, shape, input),
        type: input === 'limit' ? 'integer' : type,
        about: texts?.[input] ?? about,
        ...(required === true ? { required } : {}),
        ...(choices === undefined ? {} : { choices }),
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      },
    ];
  });
  const { org, room, project } = row.inputs;
  return [
    ...own,
    ...more,
    ...(room === undefined ? [] : [roomFlag]),
    ...(org === undefined ? [] : [orgFlag]),
    ...(project === undefined && room === undefined && shape.orgByProject !== true ? [] : [projectFlag]),
    ...(row.key === undefined || row.inputs.idempotency_key !== undefined ? [] : [keyFlag]),
    ...(row.priced === true ? [capFlag] : []),
    ...(confirm === undefined ? [] : [{ name: 'confirm', type: 'boolean' as const, about: `Do it: ${confirm}` }]),
  ];
}

const keyFlag: Flag = {
  name: 'idempotency-key',
  type: 'string',
  placeholder: 'key',
  about: 'The same key does it once, and answers again with the first outcome.',
};

export const capFlag: Flag = {
  name: 'max-usd-micros',
  type: 'integer',
  min: 0,
  about: 'Most that may be paid from the wallet, in micro-dollars: 100000 unless told.',
};

/** What the operation is given: from arguments, flags, and where organizations, projects and rooms are looked for. */
async function inputsOf(row: OperationSpec, shape: Shape, { cli, positionals, flags, ...rest }: Call): Promise<Inputs> {
  const { takes = [], set, seek = true } = shape;
  const inputs: Record<string, unknown> = {};
  const takenText = (input: string) => {
    const taken = takes.find((one) => one.input === input);
    return taken === undefined ? undefined : positionals[positionalOf(row, taken).name];
  };
  const { org, room, project, org_id, project_id } = row.inputs;
  if (room !== undefined) {
    const found = await requireRoom(cli, {
      org: flags.text('org'),
      room: flags.text('room'),
      project: flags.text('project'),
    });
    Object.assign(inputs, { org: found.org, room: found.room });
  } else if (shape.orgByProject === true)
    inputs.org = await requireOrgOrProject(cli, { org: flags.text('org'), project: flags.text('project') });
  else if (org !== undefined)
    inputs.org = await requireOrg(cli, { 'the argument': takenText('org'), '--org': flags.text('org') });
  if (project !== undefined)
    inputs.project = seek
      ? await requireProject(cli, { argument: takenText('project'), '--project': flags.text('project') })
      : flags.text('project');
  const named = { 'the argument': takenText('org_id'), '--org': flags.text('org') };
  if (org_id !== undefined)
    inputs.org_id =
      seek || named['the argument'] !== undefined || named['--org'] !== undefined
        ? await findOrg(cli, named)
        : undefined;
  if (project_id !== undefined && shape.flags?.project_id !== null) {
    const given = { argument: takenText('project_id'), '--project': flags.text('project') };
    inputs.project_id =
      project_id.required === true
        ? await requireProject(cli, given)
        : seek
          ? await findProject(cli, given)
          : flags.text('project');
  }
  for (const [input, declared] of Object.entries(row.inputs)) {
    if (input in inputs || shape.flags?.[input] === null) continue;
    const text = takenText(input);
    const value = text === undefined ? flags.value(flagName(row, shape, input)) : text;
    if (value !== undefined) inputs[input] = declared.type === 'json' ? await readInput(cli, value, input) : value;
  }
  const made = await set?.({ cli, positionals, flags, ...rest }, inputs);
  const all = { ...inputs, ...made };
  for (const [input, { required }] of Object.entries(row.inputs))
    if (required === true && all[input] === undefined)
      throw badUsage(
        `${takes.some((one) => one.input === input) ? `<${input}>` : `--${flagName(row, shape, input)}`} is missing.`,
        { field: input },
      );
  return all;
}

export interface PerformOptions extends Pick<Shape, 'approval' | 'credential'> {
  readonly flags?: Flags;
}

/** Sends an operation with its inputs where its path wants them. @returns its answer */
export async function perform(
  cli: Cli,
  row: OperationSpec,
  inputs: Inputs,
  { approval, credential, flags }: PerformOptions = {},
): Promise<Record<string, unknown>> {
  const query: Record<string, string | undefined> = {};
  const headers: Record<string, string> = {};
  const fields: Record<string, unknown> = {};
  let whole: unknown;
  let path = row.path;
  for (const [name, { at, as }] of Object.entries(row.inputs) as [string, Input][]) {
    const value = inputs[name];
    if (value === undefined) continue;
    if (at === 'path') path = path.replace(`:${as}`, encodeURIComponent(String(value)));
    else if (at === 'query') query[as] = Array.isArray(value) ? value.join(',') : String(value);
    else if (at === 'header') headers[as] = String(value);
    else if (at === 'whole') whole = value;
    else fields[as] = value;
  }
  const key = row.key === undefined ? undefined : (flags?.text('idempotency-key') ?? randomUUID());
  const body =
    row.method === 'GET'
      ? undefined
      : (whole ?? (Object.keys(fields).length === 0 && row.method === 'DELETE' ? undefined : fields));
  const { body: answer } = await call(cli, {
    method: row.method,
    path,
    query,
    ...(body === undefined ? {} : { body }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    credential: await credential?.(cli),
    project: typeof inputs.project === 'string' ? inputs.project : undefined,
    approval: approval?.(inputs),
    ...(key === undefined || 'idempotency_key' in row.inputs ? {} : { idempotencyKey: key }),
    ...(row.priced === true ? { payer: await payer(cli, flags?.number('max-usd-micros')) } : {}),
  });
  return answer;
}

async function payer(cli: Cli, capMicros: number | undefined) {
  const { walletPayer } = await import('./net/x402.ts');
  return walletPayer(cli, { capMicros });
}
