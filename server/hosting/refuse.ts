import { ServiceError } from '../../core/errors.ts';
import type { Resolution } from '../../engines/hosting/resolve.ts';
import { html } from '../../rest-compat/hosted/html.ts';
import { page } from '../../rest-compat/hosted/page.ts';
import type { Exchange } from '../exchange.ts';
import { sendAnswer } from '../respond.ts';

/** What a page says of a status. */
const texts: Readonly<Record<number, readonly [title: string, text: string]>> = {
  404: ['Page not found', 'There is no page at this address.'],
  405: ['Not allowed here', 'This address does not answer what the page asked of it.'],
  503: ['Not available', 'This part of the site is not available right now.'],
};

/** Whether a browser asks for a page, rather than a program. */
export const asksForPage = ({ method, headers }: Exchange['request']): boolean =>
  method === 'GET' && /text\/html/i.test(headers.accept ?? '');

/**
 * Refuses what a release does not answer: with a page where a browser asks for one, else with an error.
 *
 * @throws ServiceError
 */
export function refuse({ request, response, path, subject }: Exchange, found: Resolution): void {
  const error = errorOf(found, path);
  const text = texts[error.status];
  if (text === undefined || !asksForPage(request)) throw error;
  subject.code ??= error.code;
  const [title, words] = text;
  const answer = page(error.status, title, html`<h1>${title}</h1><p>${words}</p>`);
  const allow: Record<string, string> = error.allow === undefined ? {} : { allow: error.allow.join(', ') };
  sendAnswer(response, { ...answer, headers: { ...answer.headers, ...allow } });
}

/**
 * Answers a browser for code of a project that failed while it made a page.
 *
 * @param requestId the id that the log of the function has the call under
 */
export function showFailure({ response, subject }: Exchange, error: ServiceError, requestId: string): void {
  subject.code ??= error.code;
  const words = html`<h1>This page failed</h1>
<p>The site’s own code failed while it made this page. Try again later.</p>
<p>Whoever runs the site finds out more by the id <code>${requestId}</code>.</p>`;
  sendAnswer(response, page(error.status, 'This page failed', words));
}

function errorOf({ error, match, allow, pathFault, route }: Resolution, path: string): ServiceError {
  switch (error) {
    case 'VALIDATION_FAILED':
      return new ServiceError(error, {
        message: 'The path is not in the one form that paths have here.',
        details: { field: 'path', reason: pathFault },
      });
    case 'ROUTE_METHOD_NOT_ALLOWED':
      return new ServiceError(error, { allow: allow!, details: { allow, route: route?.pattern ?? null } });
    case 'ROUTE_MANIFEST_LOAD_FAILED':
      return new ServiceError(error, { retryAfter: 1, details: { route: route?.pattern ?? null } });
    default:
      return new ServiceError('ROUTE_NOT_FOUND', { details: { path, match } });
  }
}
