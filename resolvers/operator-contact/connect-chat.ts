import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { oneLine } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';

export interface ChatBinding {
  readonly bindingId: string;
}

/**
 * `POST /agent/v1/notifications/channels/chat`. Contract 02, section 5.3. A read, for as long as it changes nothing:
 * without a provider there is nothing to connect, whoever asks.
 */
export const connectChat = query({
  name: 'operator.connectChat',
  tool: 'connect_chat_channel',
  command: 'contacts connect',
  effects: ['changes', 'openWorld'],
  summary: 'Connect a chat to be paged in; refused while no chat provider is set up.',
  path: 'POST /agent/v1/notifications/channels/chat 201',
  access: signedIn('wallet', 'control_plane'),
  input: z.object({ label: oneLine(64).min(1).optional().describe('What to call it, at most 64 characters.') }),
  async handler(): Promise<ChatBinding> {
    throw new ServiceError('CHAT_CHANNEL_NOT_CONFIGURED');
  },
  wire: z.object({ binding_id: z.string() }),
  toWire: ({ bindingId }) => ({ binding_id: bindingId }),
});
