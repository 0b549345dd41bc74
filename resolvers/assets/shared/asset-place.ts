import type { Rows } from '../../../db/statement.ts';
import type { AssetPlace } from '../../../engines/assets/asset-ref.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { hostsOfProjects, originOfHost } from '../../projects/shared/project-hosts.ts';

/** Where the assets of a project are served. @param rows of a transaction. @default of none */
export async function assetPlace(
  services: Pick<Services, 'db' | 'settings'>,
  { org, project }: Pick<ProjectScope, 'org' | 'project'>,
  rows?: Rows,
): Promise<AssetPlace> {
  const [hosts] = await hostsOfProjects(services, [{ orgId: org.id, id: project.id }], rows);
  const autoOrigin = originOfHost(services, `pr-${project.publicId}.${services.settings.platformDomain}`);
  return { autoOrigin, preferredOrigin: hosts!.siteUrl ?? autoOrigin };
}
