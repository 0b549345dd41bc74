import type { Cli } from './cli.ts';
import { afterwards, runCommand } from './failure.ts';
import { keepKeys } from './files/project-keys.ts';
import { choose } from './files/state.ts';
import { linkProject } from './files/workspace.ts';
import { apiBase } from './net/api-base.ts';

interface MadeProject {
  readonly project_id: string;
  readonly anon_key: string;
  readonly service_key: string;
}

/**
 * Keeps the keys of a project that was made, and uses it from then on.
 *
 * @param wishes whether the service key is printed, and whether this checkout is linked, under which name
 * @returns what is printed of it
 */
export async function keepProject(
  cli: Cli,
  made: Readonly<Record<string, unknown>>,
  { reveal, link, name }: { readonly reveal: boolean; readonly link: boolean; readonly name: string | undefined },
): Promise<Record<string, unknown>> {
  const { service_key, ...shown } = made as unknown as MadeProject;
  const { project_id, anon_key } = shown;
  const { url } = await apiBase(cli);
  try {
    await keepKeys(cli, url, project_id, { anon_key, service_key });
    await choose(cli, url, { project_id });
    const linked = link ? { link: await linkProject(cli, project_id, name) } : {};
    return { ...shown, ...(reveal ? { service_key } : {}), keys_saved: true, ...linked };
  } catch (error) {
    throw afterwards(error, `The project ${project_id} is made, but not all is kept here.`, {
      details: { project_id },
      nextActions: [runCommand(`svc projects keys --project ${project_id}`, 'It fetches and keeps the keys.')],
    });
  }
}

/** Prints the keys of a project as they are. */
export const revealFlag = {
  name: 'reveal',
  type: 'boolean',
  about: 'Print the keys as they are. Whoever sees the service key owns the project’s data.',
} as const;

/** Links the checkout to a project that is made. */
export const linkFlag = {
  name: 'link',
  type: 'boolean',
  about: 'Link this checkout to it, by `.svc/project.json`.',
} as const;
