import { createHash } from 'node:crypto';
import { hasAlready } from '../core/entity-tags.ts';
import { operations } from '../resolvers/index.ts';
import { settlementAddress } from '../resolvers/payments/shared/settlement-address.ts';
import { allRoutes } from '../rest-compat/all-routes.ts';
import { describeRoutes } from '../rest-compat/handle.ts';
import { type Installation, openApiDocument } from '../rest-compat/openapi/document.ts';
import { platformDocument } from '../rest-compat/openapi/platform.ts';
import { routes } from '../rest-compat/routes.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { ownDocs } from './own-docs.ts';
import { sendAnswer } from './respond.ts';
import { statusDocs } from './status.ts';

/** How long a reader may keep the document before it asks whether it is still the same, in seconds. */
const freshSeconds = 300;

interface Printed {
  readonly body: string;
  readonly etag: string;
}

/** The description of the paths under `/api`, as JSON. */
export const describeApi = (installation: Installation): string =>
  JSON.stringify(openApiDocument([...ownDocs, ...describeRoutes(allRoutes)], installation));

/** Answers `/openapi.json`, which describes what is under `/api`. */
export const answerApiDocument = ({ services }: Pick<HttpOptions, 'services'>) =>
  answerDocument(async () => {
    const { publicBaseUrl: baseUrl } = services.settings;
    return describeApi({ baseUrl, payTo: await settlementAddress(services) });
  });

/** Answers `/openapi/platform.json`, which describes the other documented paths of operations, and the two of status. */
export const answerPlatformDocument = ({ services, version }: Pick<HttpOptions, 'services' | 'version'>) =>
  answerDocument(async () => {
    const { publicBaseUrl: baseUrl } = services.settings;
    return JSON.stringify(platformDocument(routes, operations, { version, baseUrl, own: statusDocs }));
  });

/** Answers a document that stays the same while the gateway runs, made for the first request. */
function answerDocument(make: () => Promise<string>): (exchange: Exchange) => Promise<void> {
  let printed: Promise<Printed> | undefined;
  const print = async (): Promise<Printed> => {
    const body = await make();
    return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
  };
  return async ({ request, response }) => {
    const { body, etag } = await (printed ??= print());
    const headers = { etag, 'cache-control': `public, max-age=${freshSeconds}` };
    if (hasAlready(request.headers['if-none-match'], etag))
      return sendAnswer(response, { status: 304, headers, body: '' });
    sendAnswer(response, { status: 200, headers: { 'content-type': 'application/json', ...headers }, body });
  };
}
