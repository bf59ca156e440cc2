import { testForms } from './spec-forms.ts';

// Few of each here; the full size holds every form to 95%.
testForms(300, 0.9);
