import type { Service } from '../helpers/service.ts';
import { newAccount, type TonIndexServer } from '../helpers/ton-index.ts';
import { type Changes, sender } from './change.ts';

/** The account that the table's payments go to. */
export const tonSettlement = newAccount().toLowerCase();

/** What anybody may have the audit gateway do without paying for it there, whatever credential comes along. */
export function gatewayChanges(service: Service, ton: TonIndexServer): Changes {
  const send = sender(service);
  return {
    changes: [
      {
        operation: 'inquiries.record',
        action: 'inquiry.recorded',
        kind: 'inquiry',
        send: send(
          'POST',
          () => '/api/inquiry',
          () => ({ email: 'ada@shop.example.org' }),
        ),
        objectId: (body) => body.inquiry_id!,
        written: 'select xmin::text from inquiries where id = $1',
      },
      {
        operation: 'licences.verifyTransaction',
        action: 'licence.issued',
        kind: 'licence',
        send: send(
          'POST',
          () => '/api/verify-tx',
          () => ({ tx_hash: ton.pay(tonSettlement, 29_000_000n).transfer.transaction_hash }),
        ),
        objectId: (body) => JSON.parse(Buffer.from(body.license_key!.split('.')[1]!, 'base64url').toString()).jti,
        written: 'select xmin::text from licences where jti = $1',
      },
    ],
    byLink: ['inquiries.record', 'licences.verifyTransaction'],
    adminOnly: [],
  };
}
