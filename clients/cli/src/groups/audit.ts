import { open as openFile, rm, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { bodyBytes } from '../../../sdk/src/body-bytes.ts';
import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { local } from '../failure.ts';
import { isAbsent } from '../files/json-file.ts';
import { noCredential } from '../net/credential.ts';
import { open } from '../net/gateway.ts';
import { unsaved } from '../net/save-answer.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/audit.ts';
import { progress } from '../progress.ts';

const site = take('url', { optional: true });

const run: Command = {
  words: 'audit run',
  summary: rows['audit.run'].summary,
  positionals: [{ name: 'url', optional: true, about: rows['audit.run'].inputs.url.about }],
  flags: [
    {
      name: 'watch',
      type: 'boolean',
      about: 'Follow it step by step, a line for each; the last one holds the report.',
    },
  ],
  examples: [
    ['A site', 'audit run https://example.com'],
    ['Step by step', 'audit run example.com --watch'],
  ],
  operations: ['audit.run', 'audit.watch'],
  async run({ cli, positionals, flags, line }) {
    if (!flags.is('watch')) return perform(cli, rows['audit.run'], { url: positionals.url });
    const { follow } = await import('../net/follow.ts');
    const document = `subscription ($url: String) { auditProgress(url: $url) { stage at host status bytes document ahead report {
      target_url: targetUrl geo_score: geoScore schema_score: schemaScore llms_txt_score: llmsTxtScore findings_total: findingsTotal } } }`;
    for await (const told of follow(cli, { document, variables: { url: positionals.url } })) line(told);
    return undefined;
  },
};

const download: Command = {
  words: 'audit download',
  summary: 'Download an archive that was bought, by the token or the address that came with it.',
  positionals: [{ name: 'token', about: 'The token, or the whole address of the download.' }],
  flags: [
    {
      name: 'output',
      type: 'string',
      placeholder: 'file',
      about: 'Where to put it; under its own name unless told. Nothing is overwritten.',
    },
  ],
  examples: [
    ['Under its own name', 'audit download 3f9c…'],
    ['Elsewhere', 'audit download 3f9c… --output pack.zip'],
  ],
  operations: ['downloads.take'],
  async run({ cli, positionals, flags }) {
    const token = positionals.token!.split('/').at(-1)!;
    const response = await open(cli, {
      method: 'GET',
      path: `/api/downloads/${encodeURIComponent(token)}`,
      credential: noCredential,
    });
    const own = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'download.zip';
    const path = resolve(cli.cwd, flags.text('output') ?? basename(own));
    try {
      await stat(path);
      await response.body?.cancel();
      throw local('BAD_FILE', `${path} is there already.`, { details: { path } });
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
    const size = Number(response.headers.get('content-length') ?? 0);
    const file = await openFile(path, 'wx', 0o600);
    const bar = progress(cli);
    let written = 0;
    try {
      for await (const chunk of bodyBytes(response)) {
        await file.write(chunk);
        written += chunk.byteLength;
        bar.at(`${written} bytes`, size === 0 ? undefined : written / size);
      }
    } catch (error) {
      await rm(path, { force: true });
      throw unsaved(cli, error, path);
    } finally {
      bar.end();
      await file.close();
    }
    return { file: path, bytes: written, digest: response.headers.get('repr-digest') };
  },
};

export const group: Group = {
  name: 'audit',
  about: [
    'svc audit: how well a site can be read and cited by AI. The audit itself is free; reports and files made from it are sold by x402, and paid from your wallet up to --max-usd-micros.',
  ],
  commands: everyCommand(rows, [
    run,
    operationCommand('audit pricing', rows['audit.getPricing'], { examples: [['Before buying', 'audit pricing']] }),
    operationCommand('audit buy', rows['audit.buy'], {
      takes: [site],
      flags: { payment_proof: null },
      examples: [['The whole report, for a cent', 'audit buy https://example.com']],
    }),
    operationCommand('audit stats', rows['audit.stats'], { examples: [['What was audited last', 'audit stats']] }),
    operationCommand('audit buy-pack', rows['products.buyPack'], {
      takes: [site],
      examples: [['Report and files', 'audit buy-pack https://example.com --max-usd-micros 1000000']],
    }),
    operationCommand('audit buy-source', rows['products.buySource'], {
      takes: [take('buyer_domain', { optional: true })],
      examples: [['What it would cost', 'audit buy-source example.com']],
    }),
    operationCommand('audit manifest', rows['products.getManifest'], {
      examples: [['What would be delivered', 'audit manifest']],
    }),
    download,
    operationCommand('audit verify-tx', rows['licences.verifyTransaction'], {
      takes: [take('tx_hash')],
      examples: [['The licence of a payment', 'audit verify-tx 0x5e88…']],
    }),
    operationCommand('audit licence-keys', rows['licences.getKeys'], {
      examples: [['To check licences offline', 'audit licence-keys']],
    }),
    operationCommand('audit inquiry', rows['inquiries.record'], {
      takes: [take('email')],
      flags: { website: null },
      examples: [['Ask for an offer', 'audit inquiry ada@example.com --kind acquisition --message "For our shop"']],
    }),
  ]),
};
