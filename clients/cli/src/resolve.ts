import type { Cli } from './cli.ts';
import type { Flag } from './command.ts';
import { Failure, local, runCommand } from './failure.ts';
import { readBinding, spelling } from './files/bindings.ts';
import { chosen } from './files/state.ts';
import { linkedProject } from './files/workspace.ts';
import { apiBase } from './net/api-base.ts';
import { call } from './net/gateway.ts';

export const orgFlag: Flag = {
  name: 'org',
  type: 'string',
  placeholder: 'org_id',
  about: 'Organization. Else SVC_ORG, the binding file, the one of `svc org use`, or your only one.',
};

export const projectFlag: Flag = {
  name: 'project',
  type: 'string',
  placeholder: 'project_id',
  about: 'Project. Else SVC_PROJECT_ID, the checkout’s link, or the one of `svc projects use`.',
};

export const roomFlag: Flag = {
  name: 'room',
  type: 'string',
  placeholder: 'key',
  about: 'Room of the organization. Else SVC_ROOM, the binding file, or the project’s own room.',
};

interface Named {
  readonly org: string;
  readonly by: string;
}

/**
 * The organization that is meant: named in the call, else by `SVC_ORG`, the binding file, or `org use`.
 *
 * @param given what the call itself names, by where
 * @throws AMBIGUOUS_ORG when two different ones are named, BAD_ORG_ID
 */
export async function findOrg(
  cli: Cli,
  given: Readonly<Record<string, string | undefined>> = {},
): Promise<string | undefined> {
  const named = Object.entries(given).flatMap(([by, org]): Named[] => (org === undefined ? [] : [{ org, by }]));
  if (named.length > 0) return agreed(named);
  const { env } = cli;
  const room = env.SVC_ROOM === undefined ? undefined : roomOfEnvironment(env.SVC_ROOM);
  const { org: bound } = await readBinding(cli);
  const standing: Named[] = [
    ...(env.SVC_ORG === undefined ? [] : [{ org: env.SVC_ORG, by: 'SVC_ORG' }]),
    ...(room === undefined ? [] : [{ org: room.org, by: 'SVC_ROOM' }]),
    ...(bound === undefined ? [] : [{ org: bound, by: 'the binding file' }]),
  ];
  if (standing.length > 0) return agreed(standing);
  return (await chosen(cli, (await apiBase(cli)).url)).org_id;
}

function agreed(named: readonly Named[]): string {
  const [first] = named as [Named];
  const other = named.find(({ org }) => org.toLowerCase() !== first.org.toLowerCase());
  if (other !== undefined)
    throw local('AMBIGUOUS_ORG', `Two organizations are named: one by ${first.by}, another by ${other.by}.`, {
      hint: 'Name the one that is meant with --org, or make them agree.',
      details: { named: named.map(({ org, by }) => ({ org_id: org, by })) },
    });
  if (!spelling.org.test(first.org))
    throw local('BAD_ORG_ID', `${JSON.stringify(first.org)} of ${first.by} is no organization’s id, which is a UUID.`, {
      field: 'org',
      nextActions: [runCommand('svc org list', 'It lists your organizations with their ids.')],
    });
  return first.org;
}

/** As {@link findOrg}, else the only organization that the caller has. @throws ORG_REQUIRED, which lists the ways to name one */
export async function requireOrg(cli: Cli, given: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
  const org = await findOrg(cli, given);
  if (org !== undefined) return org;
  const orgs = await orgsOf(cli);
  if (orgs?.length === 1) return orgs[0]!.org_id;
  if (orgs?.length === 0)
    throw local('ORG_REQUIRED', 'You belong to no organization yet.', {
      details: { ways, orgs },
      nextActions: [runCommand('svc org create --name "My team"', 'It makes one, and uses it.')],
    });
  const several = orgs?.slice(0, 5) ?? [];
  throw local('ORG_REQUIRED', 'Which organization? None is named.', {
    hint: 'Any of these: --org <org_id>, SVC_ORG, svc org bind --org <org_id>, svc org use <org_id>.',
    details: { ways, orgs: several },
    nextActions: [
      runCommand('svc org list', 'It lists your organizations with their ids.'),
      ...(several.length === 0
        ? [runCommand('svc org use <org_id>', 'It keeps one for this wallet.')]
        : several.map(({ org_id, display_name }) =>
            runCommand(`svc org use ${org_id}`, `It keeps ${display_name ?? 'this one'} for this wallet.`),
          )),
    ],
  });
}

const ways = ['--org <org_id>', 'SVC_ORG', '.svc.local.json', '.svc.json', 'svc org use <org_id>'];

interface Org {
  readonly org_id: string;
  readonly display_name: string | null;
}

/** The caller's organizations; undefined for a credential that may not list any, such as a delegate's. */
async function orgsOf(cli: Cli): Promise<readonly Org[] | undefined> {
  try {
    const { body } = await call<{ orgs: readonly Org[] }>(cli, { method: 'GET', path: '/orgs/v1' });
    if (!Array.isArray(body.orgs)) return undefined;
    return body.orgs.map(({ org_id, display_name }) => ({ org_id, display_name }));
  } catch (error) {
    if (error instanceof Failure && error.envelope.http === 403) return undefined;
    throw error;
  }
}

/** The project that is meant: named in the call, else by `SVC_PROJECT_ID`, the checkout's link, or `projects use`. */
export async function findProject(
  cli: Cli,
  given: Readonly<Record<string, string | undefined>> = {},
): Promise<string | undefined> {
  const named = Object.values(given).filter((one) => one !== undefined);
  if (named.length > 1 && named[0] !== named[1])
    throw local('BAD_USAGE', 'Two different projects are named.', { details: { named } });
  const project =
    named[0] ??
    cli.env.SVC_PROJECT_ID ??
    (await linkedProject(cli)) ??
    (await chosen(cli, (await apiBase(cli)).url)).project_id;
  if (project !== undefined && !/^[A-Za-z0-9_-]{1,128}$/.test(project))
    throw local('BAD_PROJECT_ID', `${JSON.stringify(project)} is no id of a project, such as prj_0kz3m.`);
  return project;
}

/** @throws PROJECT_REQUIRED */
export async function requireProject(
  cli: Cli,
  given: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const project = await findProject(cli, given);
  if (project !== undefined) return project;
  throw local('PROJECT_REQUIRED', 'Which project? None is named.', {
    hint: 'Any of these: --project <project_id>, SVC_PROJECT_ID, svc projects use <project_id>.',
    nextActions: [
      runCommand('svc projects list', 'It lists your projects with their ids.'),
      runCommand('svc projects provision', 'It makes one, and uses it.'),
    ],
  });
}

export interface Room {
  readonly org: string;
  readonly room: string;
}

interface RoomNames {
  readonly org?: string | undefined;
  readonly room?: string | undefined;
  readonly project?: string | undefined;
}

/**
 * The room that is meant: `--project` for a project's own room, or `--org` and `--room`; else `SVC_ROOM`, the binding
 * file, and the room of the project in use. Contract 02, section 2.0.
 *
 * @throws ROOM_REQUIRED, AMBIGUOUS_ORG, ORG_REQUIRED
 */
export async function requireRoom(cli: Cli, { org, room, project }: RoomNames): Promise<Room> {
  if (project !== undefined) {
    if (room !== undefined) throw local('BAD_USAGE', '--project is a room of its own: leave --room out.');
    return roomOfProject(cli, project, org);
  }
  if (room !== undefined) return { room: checkedRoom(room, '--room'), org: await requireOrgOrProject(cli, { org }) };
  const { SVC_ROOM: set } = cli.env;
  if (set !== undefined) {
    const found = roomOfEnvironment(set);
    return {
      room: found.room,
      org: await requireOrg(cli, org === undefined ? {} : { '--org': org, SVC_ROOM: found.org }),
    };
  }
  const bound = await readBinding(cli);
  if (bound.room !== undefined) return { room: bound.room, org: await requireOrgOrProject(cli, { org }) };
  const active = await findProject(cli);
  if (active !== undefined) return roomOfProject(cli, active, org);
  throw local('ROOM_REQUIRED', 'Which room? None is named.', {
    hint: 'Any of these: --project <project_id>, --org <org_id> --room <key>, SVC_ROOM=<org_id>/<key>, svc org bind.',
    nextActions: [runCommand('svc rooms list', 'It lists the rooms that you can reach.')],
  });
}

const checkedRoom = (room: string, by: string): string => {
  if (spelling.room.test(room)) return room;
  throw local('BAD_USAGE', `${by} is no key of a room: small letters, digits, dot, - and _, at most 64.`, {
    field: 'room',
  });
};

/** @throws BAD_ENV */
export function roomOfEnvironment(text: string): Room {
  const at = text.indexOf('/');
  if (at === -1 || !spelling.org.test(text.slice(0, at)) || !spelling.room.test(text.slice(at + 1)))
    throw local('BAD_ENV', 'SVC_ROOM is an organization and a room: <org_id>/<key>.', { field: 'SVC_ROOM' });
  return { org: text.slice(0, at), room: text.slice(at + 1) };
}

/** A project's own room goes by the project's id, in the organization that the project is in. */
async function roomOfProject(cli: Cli, project: string, org: string | undefined): Promise<Room> {
  const id = await requireProject(cli, { '--project': project });
  return { org: org === undefined ? await orgOfProject(cli, id) : await requireOrg(cli, { '--org': org }), room: id };
}

async function orgOfProject(cli: Cli, project: string): Promise<string> {
  const { body } = await call<{ org_id: string }>(cli, { method: 'GET', path: `/projects/v1/${project}`, project });
  return body.org_id;
}

/**
 * The organization of a command that may name a project in place of it: `--org`, else that of `--project`, else as
 * {@link findOrg}, and where nothing names one that of the project in use, else the only one.
 *
 * @throws AMBIGUOUS_ORG, ORG_REQUIRED
 */
export async function requireOrgOrProject(
  cli: Cli,
  { org, project }: Readonly<{ org?: string | undefined; project?: string | undefined }>,
): Promise<string> {
  if (org !== undefined) return requireOrg(cli, { '--org': org });
  if (project !== undefined) return orgOfProject(cli, await requireProject(cli, { '--project': project }));
  const found = await findOrg(cli);
  if (found !== undefined) return found;
  const active = await findProject(cli);
  return active === undefined ? requireOrg(cli) : orgOfProject(cli, active);
}
