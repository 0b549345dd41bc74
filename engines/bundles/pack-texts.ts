import type { AuditReport } from '../site-audit/analyse.ts';
import type { PackOrder } from './pack-order.ts';

/** What each file of a pack is, and how it is put on a site. */
export const packReadme = ({
  domain,
  finalUrl,
}: Pick<AuditReport, 'domain' | 'finalUrl'>): string => `# Pro pack for ${domain}

An audit of how well the site can be read and cited by AI, and files that are ready to be put on it. Everything follows
from what the site answered at the time of the order.

| file | what it is |
|---|---|
| audit.json | the audit with all checks, for programs |
| report.md | the same for people: scores, what to do first, and every check with what was seen |
| checks.csv | all checks as a table |
| rubric.md | how points are given |
| jsonld/site.jsonld | structured data that describes the site and the page |
| jsonld/snippet.html | the same inside a script element |
| llms.txt | a guide to the site for language models |
| robots.additions.txt | lines that let in crawlers that are kept out now |
| meta/head.html | title, description, canonical link and Open Graph for the page |
| LICENSE.txt | what you may do with these files |
| order.json | what was bought, signed |
| manifest.json | sizes and SHA-256 of all other files |

## Putting it on the site

1. Read report.md: it begins with what is worth most.
2. Paste jsonld/snippet.html into the head of the audited page. If the page has structured data already, put the new nodes
   beside it rather than in its place.
3. Serve llms.txt at the root of the host: its address then ends in \`/llms.txt\`, with content type \`text/plain; charset=utf-8\`.
4. Decide which of the crawlers in robots.additions.txt are welcome, and add their lines to robots.txt.
5. Compare meta/head.html with the head of the page, and take over what is missing. Do not have two titles.
6. Audit the page again. It was read at the address in \`final_url\` of audit.json${finalUrl.includes(domain) ? '' : ', which is on another host than the one that was asked for'}.

## Checking what you got

\`manifest.json\` lists sizes and SHA-256 of the files. \`signature\` in order.json is a compact JWS (EdDSA over Ed25519) over
the order's facts; the key is the one with \`key_id\` in the key set that the seller publishes at \`/.well-known/jwks.json\`.
`;

/** For one site. A template: whoever sells has it looked at by a lawyer. */
export const packLicence = ({ domain, id, transaction, network, paidAt }: PackOrder): string => `Single-site licence

Order:        ${id}
Site:         ${domain}
Transaction:  ${transaction} (${network})
Date:         ${paidAt.toISOString().slice(0, 10)}

1. Whoever paid for the order may use, copy and change the files of this pack on the site named above, for as long as they
   like, also for money, and may have others do so on their behalf.
2. Files that were generated for the site (jsonld/, llms.txt, robots.additions.txt and meta/) may be published there.
3. The report, the table of checks and the rubric may be passed on inside the organization that runs the site, and to those
   who work on it. They may not be sold, and not be offered as an audit of another site.
4. Texts that were taken from the site remain what they were before: this licence gives no right to them.
5. The files are given as they are. The seller promises no rank, no citation and no traffic, and is liable only where the
   law does not let that be excluded.
`;
