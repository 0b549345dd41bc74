import { takeDownload } from '../resolvers/downloads/take-download.ts';
import { auditPrices, usdOf } from '../resolvers/payments/shared/price-table.ts';
import { targetRefusals } from './audit-docs.ts';
import type { ApiDoc, PathDoc } from './openapi/path-doc.ts';
import { auditResultExample, deliveryExample, fullReportExample, orderExample } from './sale-examples.ts';

const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export const manifestDoc: ApiDoc = {
  examples: {
    answer: {
      ok: true,
      version: '5.0.0',
      algorithm: 'sha256',
      archives: [
        {
          id: 'source',
          filename: 'audit-gateway-source-5.0.0.zip',
          media_type: 'application/zip',
          bytes: 1_048_576,
          sha256,
          files: [{ path: 'README.md', bytes: 2_048, sha256 }],
        },
      ],
      templates: [{ id: 'pro-pack', files: ['README.md', 'audit.json'] }],
      signature: null,
    },
  },
};

export const keysDoc: ApiDoc = {
  examples: {
    answer: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    },
  },
};

export const packDoc: ApiDoc = {
  refusals: [...targetRefusals, 'RATE_LIMITED', 'SIGNING_UNAVAILABLE'],
  requires: ['url'],
  examples: {
    request: { url: 'https://shop.example.org/' },
    answer: {
      ...auditResultExample,
      tier: 'pro',
      report: fullReportExample,
      order: orderExample(usdOf(auditPrices.pro.amount)),
      bundle: deliveryExample('pro-pack-shop.example.org.zip'),
    },
  },
};

const licenceKey = 'eyJhbGciOiJFZERTQSIsInR5cCI6ImxpY2Vuc2Urand0In0.eyJwbGFuIjoiYnV5b3V0In0.c2lnbmF0dXJl';

export const sourceDoc: ApiDoc = {
  // What is wrong with the buyer's site is told in the answer: the sale does not depend on it.
  refusals: ['INVALID_URL', 'SCHEME_NOT_ALLOWED', 'IP_LITERAL', 'RESTRICTED_HOST', 'SIGNING_UNAVAILABLE'],
  requires: ['buyer_domain'],
  examples: {
    request: { buyer_domain: 'shop.example.org' },
    answer: {
      ...auditResultExample,
      tier: 'buyout',
      report: fullReportExample,
      report_error: null,
      order: orderExample(usdOf(auditPrices.buyout.amount)),
      archive: deliveryExample('audit-gateway-source-5.0.0.zip'),
      licence: {
        license_key: licenceKey,
        documents: [{ filename: 'IP-TRANSFER.md', sha256, content: '# Transfer of title\n' }],
        download_url: deliveryExample('').download_url,
        expires_at: deliveryExample('').expires_at,
      },
    },
  },
};

/** Bytes in, bytes out: nothing of it is JSON but a refusal. */
export const downloadDoc: PathDoc = {
  method: 'GET',
  path: '/api/downloads/:token',
  summary: takeDownload.summary,
  parameters: [
    {
      in: 'path',
      name: 'token',
      description: 'The token, as it stands in the download’s address.',
      required: true,
      schema: { type: 'string' },
    },
  ],
  answer: undefined,
  doc: { examples: {}, refusals: ['RESOURCE_NOT_FOUND'], media: ['application/zip'] },
};
