import type { Org } from '../../db/schema/orgs.ts';
import type { Project } from '../../db/schema/projects.ts';
import { orgIn, projectIn, projectStatement } from '../../kernel/access/access-statements.ts';
import type { Context } from '../../kernel/run/context.ts';
import { hostOfProject } from '../hosts/shared/host-urls.ts';
import { originOfHost } from '../projects/shared/project-hosts.ts';

/** A project, such as the one that a branch is, and its organization. */
export interface BranchScope {
  readonly org: Org;
  readonly project: Project;
}

/** A project that is there. */
export async function scopeOf({ services }: Context, id: string): Promise<BranchScope | undefined> {
  const [row] = await services.db.rows(projectStatement.with({ project: id, principal: null, admitted: true }));
  return row === undefined ? undefined : { org: orgIn(row)!, project: projectIn(row)! };
}

/** Where a branch is served. */
export const originOfBranch = ({ services }: Pick<Context, 'services'>, { project }: BranchScope): string =>
  originOfHost(services, hostOfProject(services, project.publicId));
