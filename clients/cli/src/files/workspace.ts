import { dirname, join } from 'node:path';
import type { Cli } from '../cli.ts';
import { local } from '../failure.ts';
import { nearestFile } from './bindings.ts';
import { isSymlink, readJsonFile, writeJsonFile } from './json-file.ts';

const schemaVersion = 'svc.workspace-project.v1';

/**
 * The project that this checkout is linked to by `.svc/project.json`.
 *
 * @throws SVC_WORKSPACE_LINK_SYMLINK, SVC_WORKSPACE_LINK_INVALID
 */
export async function linkedProject(cli: Cli): Promise<string | undefined> {
  const path = await nearestFile(cli.cwd, join('.svc', 'project.json'));
  if (path === undefined) return undefined;
  if ((await isSymlink(path)) || (await isSymlink(dirname(path))))
    throw local('SVC_WORKSPACE_LINK_SYMLINK', `${path} is reached by a symbolic link.`, { details: { path } });
  const found = await readJsonFile(path, { code: 'SVC_WORKSPACE_LINK_INVALID' });
  if (found?.schema_version !== schemaVersion || typeof found.project_id !== 'string')
    throw local('SVC_WORKSPACE_LINK_INVALID', `${path} links no project.`, {
      details: { path, wanted: { schema_version: schemaVersion, project_id: 'prj_…' } },
    });
  return found.project_id;
}

/** Links this checkout to a project. @throws SVC_WORKSPACE_LINK_CONFLICT when it is linked to another */
export async function linkProject(cli: Cli, projectId: string, name?: string): Promise<string> {
  const linked = await linkedProject(cli);
  if (linked !== undefined && linked !== projectId)
    throw local('SVC_WORKSPACE_LINK_CONFLICT', `This checkout is linked to ${linked}.`, {
      details: { linked, wanted: projectId },
    });
  const path = join(cli.cwd, '.svc', 'project.json');
  const link = { schema_version: schemaVersion, project_id: projectId, ...(name === undefined ? {} : { name }) };
  await writeJsonFile(path, link, { mode: 0o644 });
  return path;
}
