import type { NextAction } from '../../core/error-codes.ts';
import { titleOf } from '../../kernel/feeds/event-types.ts';
import type { ServiceSettings } from '../../kernel/run/context.ts';
import { eventText, nameOfOrg, oneLine, type Reader, type Subject } from './shared/event-text.ts';

/** Why somebody gets it, and how to get less of it. */
export const footer = ({ mailBaseUrl }: Pick<ServiceSettings, 'mailBaseUrl'>): string =>
  `You get this because you answer for the organization. What is mailed is set with \`svc contacts preferences set\` and at ${mailBaseUrl}/console/you.`;

/** An event as somebody reads it in a mail. */
export function eventMail(
  event: Subject,
  actions: readonly NextAction[],
  settings: Pick<ServiceSettings, 'mailBaseUrl'>,
  reader: Reader,
): { readonly subject: string; readonly text: string } {
  const { orgId, projectId, projectName, type } = event;
  return {
    subject: `${titleOf(type)}: ${projectName === null ? nameOfOrg(event) : oneLine(projectName)}`,
    text: [
      ...eventText(event, actions, reader),
      '',
      `Organization ${orgId}${projectId === null ? '' : `, project ${projectId}`}.`,
      footer(settings),
    ].join('\n'),
  };
}
