"""What people come for: codes in the manner of ICD-10, with invented shares by age and sex."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from .draw import draw_categories
from .people import FEMALE, MALE, SEXES


class Diagnosis(NamedTuple):
    """Its base share, the share of women at equal numbers, and the age of its peak and the spread around it."""

    code: str
    title: str
    share: float
    women: float
    peak: float
    spread: float


DIAGNOSES = tuple(
    Diagnosis(*row)
    for row in (
        ("A04.7", "enterocolitis, Clostridium difficile", 0.3, 0.55, 75, 18),
        ("A09.0", "infectious gastroenteritis", 4.0, 0.50, 8, 22),
        ("A15.0", "tuberculosis of lung", 0.08, 0.38, 50, 25),
        ("A46", "erysipelas", 0.6, 0.45, 65, 20),
        ("B02.9", "zoster", 0.9, 0.58, 68, 17),
        ("B18.2", "chronic viral hepatitis C", 0.15, 0.38, 50, 14),
        ("B20", "HIV disease", 0.12, 0.25, 42, 13),
        ("B34.9", "viral infection", 3.5, 0.50, 10, 25),
        ("C18.7", "cancer of sigmoid colon", 0.4, 0.44, 72, 11),
        ("C25.0", "cancer of head of pancreas", 0.1, 0.48, 72, 10),
        ("C34.1", "cancer of upper lobe of lung", 0.4, 0.40, 69, 9),
        ("C43.5", "melanoma of trunk", 0.2, 0.42, 62, 15),
        ("C50.4", "cancer of breast, upper outer", 0.7, 0.99, 63, 13),
        ("C50.9", "cancer of breast", 0.4, 0.99, 63, 13),
        ("C61", "cancer of prostate", 0.9, 0.0, 71, 8),
        ("C67.9", "cancer of bladder", 0.3, 0.25, 73, 10),
        ("C91.0", "acute lymphoblastic leukaemia", 0.02, 0.43, 6, 8),
        ("D50.9", "iron deficiency anaemia", 1.6, 0.78, 45, 25),
        ("D57.1", "sickle-cell anaemia", 0.03, 0.50, 20, 15),
        ("D68.5", "primary thrombophilia", 0.1, 0.55, 40, 18),
        ("E03.9", "hypothyroidism", 2.2, 0.82, 58, 18),
        ("E05.0", "thyrotoxicosis with goitre", 0.3, 0.83, 45, 16),
        ("E10.9", "type 1 diabetes", 0.4, 0.46, 25, 22),
        ("E11.4", "type 2 diabetes with neuropathy", 0.6, 0.44, 70, 11),
        ("E11.9", "type 2 diabetes", 4.5, 0.47, 66, 13),
        ("E66.9", "obesity", 1.5, 0.56, 48, 18),
        ("E78.5", "hyperlipidaemia", 3.2, 0.48, 63, 13),
        ("E84.0", "cystic fibrosis", 0.02, 0.50, 15, 12),
        ("F10.2", "alcohol dependence", 0.9, 0.25, 48, 13),
        ("F11.2", "opioid dependence", 0.15, 0.28, 36, 10),
        ("F20.0", "paranoid schizophrenia", 0.3, 0.42, 36, 14),
        ("F31.9", "bipolar disorder", 0.3, 0.54, 42, 15),
        ("F32.1", "moderate depressive episode", 3.4, 0.66, 44, 18),
        ("F41.1", "generalised anxiety disorder", 1.8, 0.67, 38, 16),
        ("F43.2", "adjustment disorder", 1.9, 0.62, 40, 15),
        ("F50.0", "anorexia nervosa", 0.08, 0.92, 18, 6),
        ("F84.0", "childhood autism", 0.25, 0.22, 8, 7),
        ("F90.0", "disturbance of activity and attention", 1.2, 0.28, 12, 8),
        ("G10", "Huntington disease", 0.01, 0.50, 47, 10),
        ("G20", "Parkinson disease", 0.5, 0.42, 76, 9),
        ("G30.1", "Alzheimer disease, late onset", 0.7, 0.64, 84, 6),
        ("G35", "multiple sclerosis", 0.2, 0.72, 42, 13),
        ("G40.3", "generalised epilepsy", 0.4, 0.48, 25, 25),
        ("G43.1", "migraine with aura", 1.6, 0.77, 36, 13),
        ("G56.0", "carpal tunnel syndrome", 0.9, 0.70, 55, 13),
        ("H25.1", "senile nuclear cataract", 1.6, 0.58, 77, 8),
        ("H40.1", "open-angle glaucoma", 0.8, 0.54, 72, 11),
        ("H66.9", "otitis media", 3.0, 0.49, 3, 6),
        ("H90.3", "hearing loss, both sides", 0.8, 0.46, 76, 11),
        ("I10", "essential hypertension", 9.0, 0.53, 66, 15),
        ("I20.0", "unstable angina", 0.5, 0.38, 69, 11),
        ("I21.0", "acute infarction, anterior wall", 0.3, 0.32, 67, 12),
        ("I21.4", "acute subendocardial infarction", 0.5, 0.36, 70, 12),
        ("I25.1", "atherosclerotic heart disease", 2.2, 0.35, 72, 11),
        ("I26.9", "pulmonary embolism", 0.2, 0.54, 67, 16),
        ("I48.0", "paroxysmal atrial fibrillation", 1.2, 0.46, 74, 11),
        ("I50.0", "congestive heart failure", 1.3, 0.52, 79, 9),
        ("I63.9", "cerebral infarction", 0.7, 0.49, 75, 11),
        ("I83.9", "varicose veins of the legs", 1.1, 0.69, 56, 15),
        ("J02.9", "acute pharyngitis", 3.5, 0.53, 14, 16),
        ("J06.9", "acute upper respiratory infection", 9.0, 0.51, 12, 26),
        ("J10.1", "influenza, respiratory", 2.2, 0.51, 25, 28),
        ("J18.9", "pneumonia", 1.2, 0.46, 68, 24),
        ("J20.9", "acute bronchitis", 3.6, 0.52, 45, 30),
        ("J30.1", "allergic rhinitis due to pollen", 2.2, 0.51, 25, 15),
        ("J44.1", "chronic obstructive lung disease", 1.4, 0.43, 69, 10),
        ("J45.0", "allergic asthma", 2.0, 0.50, 16, 18),
        ("K02.1", "caries of dentine", 1.2, 0.50, 22, 20),
        ("K21.0", "reflux disease with oesophagitis", 1.9, 0.50, 56, 17),
        ("K25.3", "acute gastric ulcer", 0.3, 0.46, 62, 16),
        ("K29.7", "gastritis", 1.8, 0.55, 48, 20),
        ("K35.8", "acute appendicitis", 0.6, 0.46, 20, 14),
        ("K40.9", "inguinal hernia", 0.9, 0.10, 60, 20),
        ("K50.9", "Crohn disease", 0.2, 0.53, 32, 14),
        ("K80.2", "gallstone", 0.9, 0.66, 55, 17),
        ("L20.9", "atopic dermatitis", 1.7, 0.53, 6, 11),
        ("L40.0", "psoriasis vulgaris", 0.8, 0.48, 48, 18),
        ("L70.0", "acne vulgaris", 1.4, 0.54, 17, 4),
        ("M05.8", "seropositive rheumatoid arthritis", 0.4, 0.72, 60, 13),
        ("M17.1", "arthrosis of the knee", 2.4, 0.62, 69, 11),
        ("M51.2", "lumbar disc displacement", 1.5, 0.46, 47, 12),
        ("M54.5", "low back pain", 6.5, 0.54, 50, 17),
        ("M81.0", "postmenopausal osteoporosis", 1.1, 0.99, 74, 9),
        ("N18.3", "chronic kidney disease, stage 3", 0.8, 0.52, 76, 10),
        ("N20.0", "kidney stone", 0.7, 0.38, 48, 14),
        ("N30.0", "acute cystitis", 2.4, 0.90, 42, 26),
        ("N40", "enlarged prostate", 1.8, 0.0, 70, 9),
        ("N80.1", "endometriosis of ovary", 0.3, 1.0, 33, 7),
        ("N95.1", "menopausal states", 1.4, 1.0, 53, 4),
        ("O21.0", "mild vomiting of pregnancy", 0.5, 1.0, 29, 5),
        ("O24.4", "diabetes in pregnancy", 0.3, 1.0, 32, 5),
        ("O80", "single spontaneous delivery", 1.2, 1.0, 30, 5),
        ("P07.3", "preterm infant", 4.0, 0.48, 0, 1),
        ("Q21.1", "atrial septal defect", 0.1, 0.55, 4, 7),
        ("Q90.9", "Down syndrome", 0.06, 0.48, 12, 15),
        ("R10.4", "abdominal pain", 3.0, 0.58, 28, 24),
        ("R51", "headache", 1.9, 0.60, 32, 18),
        ("S06.0", "concussion", 0.8, 0.42, 16, 18),
        ("S52.5", "fracture of lower radius", 0.9, 0.60, 45, 32),
        ("S72.0", "fracture of neck of femur", 0.5, 0.68, 83, 8),
        ("S93.4", "sprain of ankle", 1.9, 0.48, 24, 14),
        ("T78.4", "allergy", 0.8, 0.54, 25, 20),
        ("Z00.1", "routine child health examination", 14.0, 0.49, 1, 4),
        ("Z23.8", "immunisation", 2.6, 0.51, 10, 30),
    )
)

BAND = 2.5
BANDS = 44


def draw_diagnoses(age: np.ndarray, *, sex: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The place in :data:`DIAGNOSES` of each person's diagnosis, by age and sex."""
    band = np.minimum((age / BAND).astype(np.int64), BANDS - 1)
    return draw_categories(band * len(SEXES) + sex, shares=_diagnosis_shares(), rng=rng)


def diagnosis_table() -> dict[str, list[str]]:
    """The hierarchy: code → category of three characters → chapter letter → all."""
    return {one.code: [one.code[:3], one.code[0], "*"] for one in DIAGNOSES}


@cache
def _diagnosis_shares() -> np.ndarray:
    """Shares by age band and sex: a normal curve around the age of the peak, times the base share."""
    middle = (np.arange(BANDS) + 0.5) * BAND
    share, women, peak, spread = np.array([one[2:] for one in DIAGNOSES], dtype=float).T
    at_age = share * np.exp(-0.5 * ((middle[:, None] - peak) / spread) ** 2)
    of_sex = np.ones((len(SEXES), len(DIAGNOSES)))
    of_sex[FEMALE], of_sex[MALE] = 2 * women, 2 * (1 - women)
    return np.asarray((at_age[:, None, :] * of_sex).reshape(-1, len(DIAGNOSES)))
