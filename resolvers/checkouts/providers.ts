import { ServiceError } from '../../core/errors.ts';
import type { CardProcessor } from '../../engines/cards/card-processor.ts';
import type { Lightning } from '../../engines/lightning/lightning.ts';
import type { Services } from '../../kernel/run/context.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Takes payments by card; undefined: nobody does. */
    readonly cards: CardProcessor | undefined;
    /** Takes payments by lightning; undefined: nobody does. */
    readonly lightning: Lightning | undefined;
  }
}

/** @throws CARD_CHECKOUT_NOT_CONFIGURED */
export function cardsOf({ cards }: Pick<Services, 'cards'>): CardProcessor {
  if (cards === undefined) throw new ServiceError('CARD_CHECKOUT_NOT_CONFIGURED');
  return cards;
}

/** @throws LIGHTNING_TOPUP_NOT_CONFIGURED */
export function lightningOf({ lightning }: Pick<Services, 'lightning'>): Lightning {
  if (lightning === undefined) throw new ServiceError('LIGHTNING_TOPUP_NOT_CONFIGURED');
  return lightning;
}
