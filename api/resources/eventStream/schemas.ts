import { z } from 'zod';

import { typesFilter } from '../events/schemas.js';

export const streamEventsQuery = z.strictObject({ type: typesFilter });
