import { type BundleFile, jsonFile, textFile } from './bundle-file.ts';

/** What a turnkey sale hands over, to whom, and for what. */
export interface IpTransfer {
  readonly orderId: string;
  /** Who sells, by the name that the installation was given. */
  readonly seller: string;
  readonly governingLaw: string;
  readonly buyerDomain: string;
  readonly archive: {
    readonly filename: string;
    readonly version: string;
    readonly bytes: number;
    readonly sha256: string;
  };
  /** For example `950.00`. */
  readonly priceUsd: string;
  readonly network: string;
  readonly transaction: string;
  readonly payer: string;
  /** Block time of the payment. */
  readonly transferredAt: Date;
  /** The licence key's id. */
  readonly licenceId: string;
}

/** Kind of signed text that the facts of a transfer are. */
export const ipTransferType = 'ip-transfer+json';

/** The facts of a transfer, as a file of JSON. The same facts give the same bytes. */
export const ipTransferFacts = (transfer: IpTransfer): BundleFile =>
  jsonFile('ip-transfer.json', {
    document: 'ip-transfer',
    order_id: transfer.orderId,
    seller: transfer.seller,
    buyer_domain: transfer.buyerDomain,
    object: {
      filename: transfer.archive.filename,
      version: transfer.archive.version,
      bytes: transfer.archive.bytes,
      sha256: transfer.archive.sha256,
    },
    consideration: { amount: transfer.priceUsd, asset: 'USDC', network: transfer.network },
    transaction: transfer.transaction,
    payer: transfer.payer,
    transferred_at: transfer.transferredAt.toISOString(),
    governing_law: transfer.governingLaw,
    licence_id: transfer.licenceId,
  });

/**
 * The licence set of one sale: the agreement for people, its facts for programs, and those signed.
 *
 * @param facts of {@link ipTransferFacts}
 * @param signed the bytes of `facts` as a compact JWS
 */
export const ipTransferSet = (transfer: IpTransfer, facts: BundleFile, signed: string): BundleFile[] => [
  textFile('IP-TRANSFER.md', agreement(transfer)),
  facts,
  textFile('ip-transfer.jws', signed),
];

/** Names of the files of a set, in their order. */
export const ipTransferPaths: readonly string[] = ['IP-TRANSFER.md', 'ip-transfer.json', 'ip-transfer.jws'];

/** A template: whoever sells has it looked at by a lawyer before the first sale. */
const agreement = (transfer: IpTransfer): string => `# Transfer of intellectual property

| | |
|---|---|
| Seller | ${inTable(transfer.seller)} |
| Buyer | whoever controls the domain ${transfer.buyerDomain} |
| Object | ${transfer.archive.filename}, version ${transfer.archive.version}, ${transfer.archive.bytes} bytes |
| SHA-256 of the object | \`${transfer.archive.sha256}\` |
| Consideration | ${transfer.priceUsd} USDC on ${transfer.network}, paid |
| Transaction | \`${transfer.transaction}\` |
| Paid by | \`${transfer.payer}\` |
| Date | ${transfer.transferredAt.toISOString()} |
| Governing law | ${inTable(transfer.governingLaw)} |
| Order | ${transfer.orderId} |
| Licence | ${transfer.licenceId} |

1. **Transfer.** With the payment above, the seller transfers to the buyer title to the copy of the object that is named by its
   SHA-256, and grants the buyer all economic rights in the work that the seller authored in it, without limit in time, place
   or kind of use: to run, copy, change, publish, sell and license it, in whole or in part, under any terms and name.
2. **Other buyers.** The seller may make the same sale to others. Each sale is a full set of rights in a copy; none excludes
   another, and the seller keeps the right to go on using and developing the work.
3. **Components of others.** Software and data of third parties in the object, or needed to run it, are not the seller's to
   transfer. They keep their own licences, which THIRD-PARTY-NOTICES.txt in the object lists.
4. **No warranty.** The object is given as it is. The seller owes neither support nor further versions, and is liable only where
   the law does not let that be excluded.
5. **Evidence.** ip-transfer.json holds the same facts, and ip-transfer.jws is their signature by the seller's key, which is
   published at \`/.well-known/jwks.json\` and as jwks.json in the object. Whoever holds these files and the object can prove
   what was transferred.
`;

/** A text of the operator's in a table of Markdown. */
const inTable = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
