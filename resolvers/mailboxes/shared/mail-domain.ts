import type { Services } from '../../../kernel/run/context.ts';

/** The domain of a project's mailboxes. Contract 02, section 6.1. */
export const domainOfProject = ({ settings }: Pick<Services, 'settings'>, publicId: string): string =>
  `${publicId}.mail.${settings.platformDomain}`;
