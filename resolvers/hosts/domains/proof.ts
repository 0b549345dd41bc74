import type { ObservedDomain } from '../../../db/schema/hosts.ts';

/** The text that proves that a project owns a domain. */
export const proofOf = (token: string): string => `svc-domain=${token}`;

/** Whether the proof of a project was seen. */
export const isProven = ({ texts }: Pick<ObservedDomain, 'texts'>, token: string): boolean =>
  texts.includes(proofOf(token));
