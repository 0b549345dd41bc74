import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { hostOfProject } from '../hosts/shared/host-urls.ts';
import { hostsOfProjects, originOfHost } from '../projects/shared/project-hosts.ts';
import type { ReleaseOwner } from './release-store.ts';

/** Where a deploy is found: the site's address, which stays, and the deployment, which has a host of its own. */
export async function urlsOf(
  { services, rows }: Pick<Work, 'services' | 'rows'>,
  { orgId, projectId }: ReleaseOwner,
  publicId: string,
  deploymentId: string,
): Promise<Readonly<Record<string, string>>> {
  const [hosts] = await hostsOfProjects(services, [{ orgId, id: projectId }], rows);
  const site = hosts!.siteUrl ?? originOfHost(services, hostOfProject(services, publicId));
  return { site, deployment_id: deploymentId };
}
