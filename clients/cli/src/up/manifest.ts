import { local } from '../failure.ts';

/** A mailbox that an application wants. */
export interface WantedMailbox {
  readonly slug: string;
  readonly roles: readonly ('default_outbound' | 'auth_sender')[];
}

/** A secret that an application wants. */
export interface WantedSecret {
  readonly key: string;
  readonly required: boolean;
  /** Variable of the environment that its value is read from. */
  readonly sourceEnv: string;
}

/** One command of a build, either as a program with its arguments or as a line for the shell. */
export interface BuildCommand {
  readonly id: string;
  readonly argv: readonly string[] | undefined;
  readonly shell: string | undefined;
  /** Folder that it runs in, from that of the manifest. */
  readonly cwd: string;
}

/** An address that is asked after a deploy. */
export interface Check {
  readonly id: string;
  /** A path of the site, or an address of its own. */
  readonly target: string;
  readonly status: number;
  readonly retries: number;
}

/** An application as `svc.json` describes it. */
export interface AppManifest {
  readonly app: { readonly id: string; readonly name: string };
  readonly project: {
    readonly id: string | undefined;
    readonly name: string | undefined;
    readonly subdomain: string | undefined;
    /** False: it is shared with other applications, and has to be there. */
    readonly isOwn: boolean;
  };
  /** A release specification without its project. */
  readonly release: Readonly<Record<string, unknown>>;
  readonly mailboxes: readonly WantedMailbox[];
  readonly secrets: readonly WantedSecret[];
  readonly build: { readonly mode: 'local' | 'remote' | 'sandbox'; readonly commands: readonly BuildCommand[] };
  readonly checks: readonly Check[];
}

const logicalName = /^[a-z][a-z0-9_]*$/;
const variableName = /^(?!SVC_)[A-Z_][A-Z0-9_]{0,127}$/;

/** Members of a release that `svc up` sets by itself, or that stand elsewhere in the manifest. */
const notInRelease = ['project', 'project_id', 'idempotency_key', 'build', 'resources', 'lifecycle', 'verify'];

/**
 * Reads a manifest: every member is known, and of its kind.
 *
 * @param given as JSON
 * @throws Failure INVALID_MANIFEST, with the dotted path of the member at fault
 */
export function readManifest(given: unknown): AppManifest {
  const root = objectAt(given, '', [
    '$schema',
    'spec_version',
    'app',
    'project',
    'release',
    'resources',
    'secrets',
    'build',
    'lifecycle',
    'verify',
  ]);
  if (root.spec_version !== undefined && root.spec_version !== 1) throw wrong('spec_version', 'must be 1');
  const app = objectAt(root.app ?? missing('app'), 'app', ['id', 'display_name', 'description']);
  const id = textAt(app.id ?? missing('app.id'), 'app.id', /^[a-z][a-z0-9_-]{0,63}$/);
  optionalText(app.description, 'app.description');
  const lifecycle = optionalObject(root.lifecycle, 'lifecycle', ['project', 'prune']);
  const sharing = choiceAt(lifecycle.project ?? 'per_app', 'lifecycle.project', ['per_app', 'shared']);
  choiceAt(lifecycle.prune ?? 'approval_required', 'lifecycle.prune', ['approval_required', 'disabled']);
  const project = optionalObject(root.project, 'project', ['name', 'id', 'origin']);
  const origin = optionalObject(project.origin, 'project.origin', ['subdomain']);
  const release = objectAt(root.release ?? missing('release'), 'release');
  const odd = notInRelease.find((name) => name in release);
  if (odd !== undefined) throw wrong(`release.${odd}`, 'has no place here');
  return {
    app: { id, name: optionalText(app.display_name, 'app.display_name') ?? id },
    project: {
      id: optionalText(project.id, 'project.id', /^prj_/),
      name: optionalText(project.name, 'project.name'),
      subdomain: optionalText(origin.subdomain, 'project.origin.subdomain'),
      isOwn: sharing === 'per_app',
    },
    release,
    mailboxes: mailboxesOf(root.resources),
    secrets: secretsOf(root.secrets),
    build: buildOf(root.build),
    checks: checksOf(root.verify),
  };
}

function mailboxesOf(given: unknown): WantedMailbox[] {
  const resources = optionalObject(given, 'resources', ['mailboxes', 'webhooks']);
  const webhooks = Object.keys(optionalObject(resources.webhooks, 'resources.webhooks'));
  if (webhooks.length > 0)
    throw wrong(`resources.webhooks.${webhooks[0]}`, 'cannot be had: this gateway has no webhooks of mailboxes');
  return namedEntries(resources.mailboxes, 'resources.mailboxes', logicalName).map(([at, value]) => {
    const mailbox = objectAt(value, at, ['slug', 'roles', 'description']);
    optionalText(mailbox.description, `${at}.description`);
    return {
      slug: textAt(mailbox.slug ?? missing(`${at}.slug`), `${at}.slug`),
      roles: listAt(mailbox.roles ?? [], `${at}.roles`).map((role, index) =>
        choiceAt(role, `${at}.roles.${index}`, ['default_outbound', 'auth_sender']),
      ),
    };
  });
}

const secretsOf = (given: unknown): WantedSecret[] =>
  namedEntries(given, 'secrets', variableName).map(([at, value, key]) => {
    const secret = objectAt(value, at, ['required', 'source_env', 'description']);
    optionalText(secret.description, `${at}.description`);
    return {
      key,
      required: flagAt(secret.required ?? false, `${at}.required`),
      sourceEnv: optionalText(secret.source_env, `${at}.source_env`, variableName) ?? key,
    };
  });

function buildOf(given: unknown): AppManifest['build'] {
  const build = optionalObject(given, 'build', ['mode', 'commands']);
  return {
    mode: choiceAt(build.mode ?? 'local', 'build.mode', ['local', 'remote', 'sandbox']),
    commands: listAt(build.commands ?? [], 'build.commands').map((value, index) => {
      const at = `build.commands.${index}`;
      const command = objectAt(value, at, ['id', 'argv', 'shell', 'cwd']);
      const argv =
        command.argv === undefined
          ? undefined
          : listAt(command.argv, `${at}.argv`).map((word, place) => textAt(word, `${at}.argv.${place}`));
      const shell = optionalText(command.shell, `${at}.shell`);
      if ((argv === undefined || argv.length === 0) === (shell === undefined))
        throw wrong(at, 'must have either argv or shell');
      return {
        id: textAt(command.id ?? missing(`${at}.id`), `${at}.id`),
        argv,
        shell,
        cwd: optionalText(command.cwd, `${at}.cwd`) ?? '.',
      };
    }),
  };
}

function checksOf(given: unknown): Check[] {
  const verify = optionalObject(given, 'verify', ['http']);
  return listAt(verify.http ?? [], 'verify.http').map((value, index) => {
    const at = `verify.http.${index}`;
    const check = objectAt(value, at, ['id', 'path', 'url', 'expect', 'expected_status', 'retries']);
    const expect = optionalObject(check.expect, `${at}.expect`, ['status']);
    const target =
      optionalText(check.url, `${at}.url`, /^https?:\/\//) ?? optionalText(check.path, `${at}.path`, /^\//);
    return {
      id: optionalText(check.id, `${at}.id`) ?? String(index),
      target: target ?? missing(`${at}.path`),
      status: numberAt(expect.status ?? check.expected_status ?? 200, `${at}.expect.status`, 100, 599),
      retries: numberAt(check.retries ?? 3, `${at}.retries`, 0, 100),
    };
  });
}

const wrong = (resource: string, must: string) =>
  local('INVALID_MANIFEST', `${resource === '' ? 'The manifest' : resource} ${must}.`, {
    field: resource,
    details: { resource },
  });

const missing = (resource: string): never => {
  throw wrong(resource, 'is missing');
};

type Json = Readonly<Record<string, unknown>>;

/** @param known members; any where absent */
function objectAt(value: unknown, at: string, known?: readonly string[]): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(at, 'must be an object');
  const odd = known === undefined ? undefined : Object.keys(value).find((name) => !known.includes(name));
  if (odd !== undefined) throw wrong(at === '' ? odd : `${at}.${odd}`, 'is not known');
  return value as Json;
}

const optionalObject = (value: unknown, at: string, known?: readonly string[]): Json =>
  value === undefined ? {} : objectAt(value, at, known);

const namedEntries = (value: unknown, at: string, pattern: RegExp): (readonly [string, unknown, string])[] =>
  Object.entries(optionalObject(value, at)).map(([name, entry]) => {
    if (!pattern.test(name)) throw wrong(`${at}.${name}`, `must be named like ${pattern.source}`);
    return [`${at}.${name}`, entry, name] as const;
  });

function listAt(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(at, 'must be a list');
  return value;
}

function textAt(value: unknown, at: string, pattern?: RegExp): string {
  if (typeof value !== 'string' || value === '') throw wrong(at, 'must be a text');
  if (pattern?.test(value) === false) throw wrong(at, `must be like ${pattern.source}`);
  return value;
}

const optionalText = (value: unknown, at: string, pattern?: RegExp): string | undefined =>
  value === undefined ? undefined : textAt(value, at, pattern);

function flagAt(value: unknown, at: string): boolean {
  if (typeof value !== 'boolean') throw wrong(at, 'must be true or false');
  return value;
}

function numberAt(value: unknown, at: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw wrong(at, `must be a whole number from ${min} to ${max}`);
  return value;
}

function choiceAt<const Choice extends string>(value: unknown, at: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw wrong(at, `must be one of ${choices.join(', ')}`);
  return found;
}
