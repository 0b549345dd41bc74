import { Resolver } from 'node:dns/promises';
import { createRequire } from 'node:module';
import type { MailAuthentication, MailOrigin } from './mail-authentication.ts';

interface SpfResult {
  readonly domain: string;
  readonly status: { readonly result: string };
}

interface DkimRow {
  readonly id: string;
  readonly signingDomain?: string;
  readonly status: { readonly result: string; readonly aligned?: string | false; readonly underSized?: number };
}

interface DkimResult {
  readonly headerFrom?: readonly string[];
  readonly fromFields?: number;
  readonly results?: readonly DkimRow[];
}

interface DmarcResult {
  readonly status: { readonly result: string; readonly header?: { readonly from?: string } };
  readonly policy?: string;
}

type Resolve = (name: string, type: string) => Promise<unknown>;

// The parts that are used, and not the whole: the others ask the web, and read certificates.
const require = createRequire(import.meta.url);
const { spf } = require('mailauth/lib/spf') as { spf: (options: object) => Promise<SpfResult | false> };
const { dkimVerify } = require('mailauth/lib/dkim/verify') as {
  dkimVerify: (raw: Buffer, options: object) => Promise<DkimResult>;
};
const { dmarc } = require('mailauth/lib/dmarc') as { dmarc: (options: object) => Promise<DmarcResult | false> };

/** Signatures that are looked at; a mail has one or two. */
const signaturesMax = 10;

/**
 * Asks the domains of a mail whether it is theirs: SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 9989).
 *
 * @param name of the asking server
 * @param servers name servers that are asked; undefined: the system's
 */
export async function authenticateMail(
  raw: Buffer,
  { ip, helo, sender }: MailOrigin,
  name: string,
  servers: readonly string[] | undefined,
): Promise<MailAuthentication> {
  const dns = new Resolver({ timeout: 2_000, tries: 1 });
  if (servers !== undefined) dns.setServers(servers);
  const resolver: Resolve = (asked, type) => dns.resolve(asked, type);
  const [sent, signed] = await Promise.all([
    spf({ resolver, ip, helo, sender, mta: name }),
    dkimVerify(withFewSignatures(raw), { resolver, sender }),
  ]);
  const passing = (signed.results ?? []).filter(({ status }) => status.result === 'pass');
  const judged = signed.headerFrom?.length
    ? await dmarc({
        resolver,
        headerFrom: signed.headerFrom,
        fromFields: signed.fromFields,
        spfDomains: sent !== false && sent.status.result === 'pass' ? [sent.domain] : [],
        dkimDomains: passing.map(({ id, signingDomain: domain, status: { aligned, underSized } }) => ({
          id,
          domain,
          aligned,
          underSized,
        })),
      })
    : false;
  return {
    spf: sent === false ? 'none' : sent.status.result,
    dkim: passing.length > 0 ? 'pass' : (signed.results?.[0]?.status.result ?? 'none'),
    dmarc: judged === false ? 'none' : judged.status.result,
    dmarc_policy: judged === false || judged.status.result === 'none' ? null : (judged.policy ?? null),
    from_domain: signed.headerFrom?.at(0)?.split('@').at(-1)?.toLowerCase() ?? null,
    signed_by: passing.flatMap(({ signingDomain }) => signingDomain ?? []),
  };
}

/** Each signature may have the whole body hashed once more: the lines of those after the first few are renamed. */
function withFewSignatures(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.subarray(0, end < 0 ? raw.length : end).toString('latin1');
  let seen = 0;
  const fewer = head.replaceAll(/^DKIM-Signature(?=[ \t]*:)/gim, (header) => {
    seen += 1;
    return seen > signaturesMax ? 'Passed-By-Signature' : header;
  });
  if (seen <= signaturesMax) return raw;
  return Buffer.concat([Buffer.from(fewer, 'latin1'), end < 0 ? Buffer.alloc(0) : raw.subarray(end)]);
}
