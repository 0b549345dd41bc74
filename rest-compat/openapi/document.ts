import { AuditResultWire } from '../../resolvers/site-audits/shared/audit-result-wire.ts';
import { JsonRpcRequest, JsonRpcResponse } from './json-rpc-schemas.ts';
import { referenceTo, SchemaPrinter } from './json-schema.ts';
import type { BodyDoc, JsonSchema, PathDoc } from './path-doc.ts';
import { isPaymentProof, paymentInfo, paymentSchemes, type Seller, securityOf } from './payment-doc.ts';
import { paymentShapes } from './payment-schemas.ts';
import { Problem, responsesOf } from './responses.ts';

/** Contract 00, sections 3.1 and 6.1. */
const info = {
  title: 'Audit Gateway 4.0',
  version: '5.0.0',
  summary: 'Audits of sites, sold over HTTP 402.',
  description: [
    'A deterministic contract-redlining, DPA and clause-risk scoring engine. What it documents and answers are audits of',
    'public sites: how well AI crawlers can reach, read and cite them, with three scores and generated JSON-LD and llms.txt.',
    '',
    'The free audit shows the scores and the beginning of the rest. What is sold is paid by x402 in USDC on base: a request',
    'without a payment is answered 402 with the challenge of both versions of the protocol, and the same request with a',
    'payment gets the goods. Refusals are problem details (RFC 9457) with a stable `code`.',
  ].join('\n'),
} as const;

/** What differs from one installation to the next. */
export interface Installation extends Pick<Seller, 'payTo'> {
  /** Where the gateway is reached for certain; undefined: where the document was found. */
  readonly baseUrl: string | undefined;
}

/** The description of the API in OpenAPI 3.1, read off the paths themselves. */
export function openApiDocument(docs: readonly PathDoc[], { baseUrl, payTo }: Installation): JsonSchema {
  const printer = new SchemaPrinter();
  for (const shape of [...paymentShapes, AuditResultWire, JsonRpcRequest, JsonRpcResponse, Problem])
    printer.print(shape, 'output');
  const seller = { baseUrl: baseUrl ?? 'https://gateway.example', payTo };
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const doc of docs) {
    const item = (paths[doc.path.replace(/:(\w+)/g, '{$1}')] ??= {});
    item[doc.method.toLowerCase()] = operationOf(doc, printer, seller);
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: baseUrl ?? '/' }],
    security: [],
    paths,
    components: { schemas: printer.components, securitySchemes: paymentSchemes },
  };
}

function operationOf(path: PathDoc, printer: SchemaPrinter, seller: Seller): JsonSchema {
  const { summary, body, doc } = path;
  const { paid } = doc;
  const parameters = (path.parameters ?? []).filter((one) => paid?.proof !== true || !isPaymentProof(one));
  return {
    operationId: operationId(path),
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: {
              'application/json': {
                schema: bodySchema(body, printer),
                ...(doc.examples.request === undefined ? {} : { example: doc.examples.request }),
              },
            },
          },
        }),
    responses: responsesOf(path, printer, seller),
    ...(paid === undefined ? {} : { security: securityOf(paid), 'x-payment-info': paymentInfo(paid, seller) }),
  };
}

function bodySchema({ schema, component }: BodyDoc, { components }: SchemaPrinter): JsonSchema {
  if (component === undefined) return schema;
  components[component] = schema;
  return referenceTo(component);
}

/** One for each method and path, aliases included: `getApiX402ProPack`. */
const operationId = ({ method, path }: PathDoc): string =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
