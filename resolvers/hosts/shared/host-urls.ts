import type { Services } from '../../../kernel/run/context.ts';

/** The host of one deployment, which shows it whatever is live. */
export const hostOfDeployment = ({ settings }: Pick<Services, 'settings'>, deploymentId: string): string =>
  `dpl-${deploymentId.replace(/^dpl_/, '')}.sites.${settings.platformDomain}`;

/** All hosts of deployments, as policies of browsers name them. */
export const hostsOfDeployments = ({ settings }: Pick<Services, 'settings'>): string =>
  `*.sites.${settings.platformDomain}`;

/** The host that a project has from the start. */
export const hostOfProject = ({ settings }: Pick<Services, 'settings'>, publicId: string): string =>
  `p-${publicId}.${settings.platformDomain}`;
