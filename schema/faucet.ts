import { adminFaucet } from '../resolvers/faucet/admin-faucet.ts';
import { type Drip, settledDrip } from '../resolvers/faucet/drip.ts';
import { requestFaucet } from '../resolvers/faucet/request-faucet.ts';
import { builder } from './builder.ts';
import { changeField } from './operation-field.ts';

const GiftRef = builder.objectRef<Awaited<ReturnType<typeof settledDrip>>>('FaucetTransfer').implement({
  description: 'Test money that was sent to a wallet.',
  fields: (t) => ({
    transactionHash: t.string({ description: 'Its transaction.', resolve: ({ txHash }) => txHash! }),
    amountUsdMicros: t.float({ description: 'Micro-dollars of USDC.', resolve: ({ amount }) => Number(amount) }),
    token: t.string({ description: 'What was sent.', resolve: () => 'USDC' }),
    network: t.string({ description: 'Where.', resolve: () => 'base-sepolia' }),
  }),
});

const sent = (drip: Drip, ctx: Parameters<typeof settledDrip>[0]) => settledDrip(ctx, drip);

changeField('requestFaucet', requestFaucet, {
  type: GiftRef,
  input: 'Who gets test money.',
  argument: 'The wallet.',
  result: sent,
});

changeField('sendFromFaucet', adminFaucet, {
  type: GiftRef,
  input: 'Test money to send.',
  argument: 'The transfer.',
  result: sent,
});
