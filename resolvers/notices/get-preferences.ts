import { z } from 'zod';
import { signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { findPreferences, type Preferences, PreferencesWire, preferencesToWire } from './preferences.ts';

/** `GET /agent/v1/notifications/preferences`. Contract 02, section 5.4. */
export const getNoticePreferences = query({
  name: 'notices.getPreferences',
  tool: 'get_notification_preferences',
  command: 'contacts preferences',
  summary: 'What the caller wants to be told of about its organizations, and how.',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({}),
  handler: (ctx): Promise<Preferences> => findPreferences(ctx.services.db.rows, ctx.principal.principal.id),
  wire: PreferencesWire,
  toWire: preferencesToWire,
});
