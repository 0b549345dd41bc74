import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import { type Aspect, aspects, type GeneratedImage } from '../../engines/ai/ai-engine.ts';
import { anyone } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import type { PaidFor } from '../../kernel/run/price.ts';
import { bringIn } from '../ledger/shared/bring-in.ts';
import { balanceOf, post } from '../ledger/shared/ledger.ts';
import { askModel, requireModel } from './services.ts';
import { holdPrice, releasePrice, settlePrice } from './shared/holds.ts';
import { imageBuyer } from './shared/image-buyer.ts';
import { imagePrice, imagePriceMicros } from './shared/image-price.ts';
import { modelText, takeFromRate } from './shared/inputs.ts';

export interface MadeImage extends GeneratedImage {
  /** Names it in the history of the balance. */
  readonly id: string;
  readonly aspect: Aspect;
  readonly paidBy: 'balance' | 'x402';
}

/** `POST /generate-image/v1`. Contract 04, section 3.2. */
export const generateImage = mutation({
  name: 'ai.generateImage',
  tool: 'generate_image',
  command: 'image generate',
  effects: ['openWorld'],
  duration: 'long',
  summary: 'Make an image, for 0.03 USD from the prepaid balance or by x402. What fails costs nothing.',
  access: imageBuyer(),
  lifecycle: 'gated',
  price: {
    family: 'platform',
    async quote({ services, org }) {
      requireModel(services, 'image');
      const available = org === undefined ? 0n : (await balanceOf(services.db, org.id)).available;
      return available >= imagePriceMicros ? undefined : imagePrice(services.settings.tierNetwork, available);
    },
  },
  input: z.object({
    project: itsProject.describe(
      'Project whose organization pays; that of the credential, or the wallet’s own organization, unless named.',
    ),
    prompt: modelText.describe('What the image shows, at most 10,000 characters.'),
    aspect: z.enum(aspects).default('square').describe('Its shape: `square`, `landscape` or `portrait`.'),
  }),
  async prepare(ctx, { prompt, aspect }) {
    const { org, request, paymentContext } = ctx;
    takeFromRate(ctx, 'image', org?.id ?? networkOf(request.address));
    const hold = org === undefined ? undefined : await holdPrice(ctx, org.id, imagePriceMicros);
    const isPaid = (paymentContext?.signature ?? paymentContext?.legacy) !== undefined;
    if (hold === undefined && !isPaid) throw unpaid();
    try {
      const image = await askModel(ctx, 'image', (ai, signal) => ai.generateImage(prompt, aspect, signal));
      return { image, hold };
    } catch (error) {
      if (hold !== undefined) await releasePrice(ctx, org!.id, hold);
      throw error;
    }
  },
  async handler(work, { aspect }, { image, hold }): Promise<MadeImage> {
    const { org, payment } = work;
    const id = hold ?? work.services.newId('aih');
    if (payment === undefined && (org === undefined || hold === undefined)) throw unpaid();
    if (org !== undefined && hold !== undefined)
      await settlePrice(work, org.id, hold, payment === undefined ? imagePriceMicros : 0n);
    if (org !== undefined && payment !== undefined) await passThrough(work, org.id, id, payment);
    return { ...image, id, aspect, paidBy: payment === undefined ? 'balance' : 'x402' };
  },
  audit: ({ id, aspect, paidBy }) => ({
    action: 'image.generated',
    object: { kind: 'image', id },
    details: { aspect, paid_by: paidBy },
  }),
  wire: z
    .object({
      image: z.base64(),
      content_type: z.enum(['image/png', 'image/jpeg', 'image/webp']),
      aspect: z.enum(aspects),
    })
    .meta({ id: 'GeneratedImage' }),
  toWire: ({ bytes, contentType, aspect }) => ({
    image: Buffer.from(bytes).toString('base64'),
    content_type: contentType,
    aspect,
  }),
});

const unpaid = () => new ServiceError('PAYMENT_REQUIRED', { message: 'The prepaid balance does not cover an image.' });

/** What was paid on chain goes through the balance. */
async function passThrough(work: Work, orgId: string, imageId: string, payment: PaidFor) {
  await bringIn(work, orgId, payment);
  const reference = { type: 'image', id: imageId };
  await post(work, { orgId, direction: 'debit', kind: 'image', amount: payment.price.amount, reference });
}

/** `GET /generate-image/v1`. Contract 04, section 3.2. */
export const imageOffer = query({
  name: 'ai.imageOffer',
  tool: 'get_image_offer',
  command: 'image offer',
  summary: 'What an image costs, and how it is asked for.',
  path: 'GET /generate-image/v1',
  access: anyone(),
  input: z.object({}),
  handler: async ({ services }) => ({
    available: services.ai.offers('image'),
    network: services.settings.tierNetwork,
    priceUsdMicros: Number(imagePriceMicros),
    aspects,
  }),
  wire: z.object({
    method: z.literal('POST'),
    path: z.literal('/generate-image/v1'),
    available: z.boolean(),
    price_usd_micros: z.int(),
    network: z.string(),
    aspects: z.array(z.enum(aspects)),
  }),
  toWire: ({ available, network, priceUsdMicros }) => ({
    method: 'POST' as const,
    path: '/generate-image/v1' as const,
    available,
    price_usd_micros: priceUsdMicros,
    network,
    aspects: [...aspects],
  }),
});
