import type { Services } from '../../../kernel/run/context.ts';

/** The domain of a project's mailboxes. Contract 02, section 6.1. */
export const domainOfProject = ({ settings }: Pick<Services, 'settings'>, publicId: string): string =>
  `${publicId}.mail.${settings.platformDomain}`;

/** Where the gateway takes mail, as MX records name it. */
export const mailHostOf = ({ settings }: Pick<Services, 'settings'>): string => `mail.${settings.platformDomain}`;
