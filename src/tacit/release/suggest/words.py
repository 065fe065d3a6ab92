"""The notions that column names are read for, in English, German, French, Spanish, Italian, Dutch and Portuguese.

The first notion that fits wins: what is particular (a birth weight) stands before what is general (a birth, a weight).
"""

from __future__ import annotations

from ..engines.table import Type
from .notion import Notion

CODES: frozenset[Type] = frozenset({"integer", "text"})

IDENTIFIERS: tuple[Notion, ...] = (
    Notion(
        "a person's name",
        "identifier",
        "full_name first_name last_name given_name middle_name family_name maiden_name surname* forename* fname lname "
        "nickname patient*_name pt_name ptnm pat_name patname person*_name client_name customer_name employee_name student_name "
        "subject_name respondent_name member_name participant_name resident_name child*_name mother*_name father*_name "
        "*patientenname* personenname* kundenname* mitarbeitername* teilnehmername* bewohnername* versichertenname* kindsname* "
        "schuelername* schulername* nom_patient nom_client nom_et_prenom nombre_paciente nombre_cliente nome_paziente "
        "nome_paciente patientnaam patienten_naam naam_patient vorname* nachname* familienname* zuname* prenom* nom_famille nom_de_famille "
        "nom_prenom apellido* nombre_apellido* primer_apellido cognome* nome_cognome voornaam* achternaam* familienaam "
        "birth_name geburtsname* nom_naissance nom_jeune_fille sobrenome* apelido* nome_completo nombre_completo initials "
        "initialen rufname",
        safe_harbor="A",
    ),
    Notion("an e-mail address", "identifier", "*email* e_mail mail mails correo courriel", safe_harbor="F"),
    Notion("a fax number", "identifier", "fax *telefax* faxnr faxnummer", safe_harbor="E"),
    Notion(
        "a telephone number",
        "identifier",
        "*phone* tel telnr *telefon* *telephone* mobile mobil* handy handyn* cellular movil celular cellulare portable gsm "
        "telemovel",
        safe_harbor="D",
    ),
    Notion(
        "a social security or national number",
        "identifier",
        "ssn social_security* nino national_insurance* national_id* *sozialversicherung* svnr ahv* nir insee "
        "securite_sociale numero_secu dni nif nie nss codice_fiscale cod_fisc codfisc bsn burgerservice* cpf rg_cpf tax_id "
        "steuer_id steuernummer steueridentifikation* passport* reisepass* passeport pasaporte passaporto paspoort*",
        safe_harbor="G",
    ),
    Notion(
        "a medical record number",
        "identifier",
        "mrn medical_record* chart_number chart_no pidnum patnum patid pat_id pat_nr pat_no ptid pt_id pt_no pt_num ptnum "
        "hospnum hosp_num hosp_no hospital_no hospital_num hospital_number hadm_id icustay_id stay_id encounter encounter_id "
        "encounter_n* encntr* accession* specimen_id sample_id sampleid barcode desynpuf_id bene_id claim_id clm_id admission_id nhs_number patient_no patient_nr patient_id patient_number "
        "patient_num patientnr patientennummer patienten_id patienten_nr fall_nr fallnummer num_patient no_patient "
        "numero_patient id_patient numero_paciente id_paciente num_paciente numero_paziente id_paziente patientnummer "
        "historia_clinica nhc cartella_clinica prontuario",
        types=CODES,
        safe_harbor="H",
    ),
    Notion(
        "a health plan number",
        "identifier",
        "health_plan* medicare* medicaid* beneficiary* insurance_n* insurance_id policy_n* member_id subscriber_id "
        "*versichertenn* kvnr krankenversicherungsn* mutuelle_n* poliza* polizza* polisnummer apolice",
        types=CODES,
        safe_harbor="I",
    ),
    Notion(
        "an account number",
        "identifier",
        "account account_n* account_id iban *kontonummer konto konto_nr numero_compte cuenta numero_cuenta "
        "conto_corrente rekeningnummer rekening conta_bancaria credit_card* card_number *kreditkart* tarjeta* cartao*",
        types=CODES,
        safe_harbor="J",
    ),
    Notion(
        "a vehicle's number",
        "identifier",
        "license_plate* licence_plate* number_plate* plate plate_n* vin vehicle_id* vehicle_identification* "
        "*kennzeichen fahrgestell* immatriculation* matricula targa kenteken* placa",
        types=CODES,
        safe_harbor="L",
    ),
    Notion(
        "a certificate or licence number",
        "identifier",
        "license* licence* certificate* fuehrerschein* fuhrerschein* permis permis_conduire permiso_conducir licencia* "
        "patente patente_guida licenza* rijbewijs* vergunning* licenca* carta_conducao zertifikat*",
        types=CODES,
        safe_harbor="K",
    ),
    Notion(
        "a device's number",
        "identifier",
        "device_id* device_s* device_n* serial serial_n* imei imsi udid mac_addr* macaddr* *seriennummer geraete_id "
        "geraetenummer numero_serie numero_de_serie serienummer numero_di_serie implant_id pacemaker_id",
        types=CODES,
        safe_harbor="M",
    ),
    Notion("an IP address", "identifier", "ip ip_addr* ipv ip_adress* adresse_ip direccion_ip", safe_harbor="O"),
    Notion(
        "a web address",
        "identifier",
        "url urls website* homepage* webseite* site_web sitio_web sito_web linkedin facebook twitter instagram user_name "
        "login benutzername nom_utilisateur usuario",
        types=CODES,
        safe_harbor="N",
    ),
    Notion(
        "a biometric",
        "identifier",
        "biometr* fingerprint* finger_print* voice_print* voiceprint* iris_scan retina* fingerabdr* empreinte* huella* "
        "impronta* vingerafdruk* impressao_digital",
        safe_harbor="P",
    ),
    Notion(
        "a photograph",
        "identifier",
        "photo* picture* portrait* selfie face_image* image image_file* foto* lichtbild* passbild* imagen imagem",
        safe_harbor="Q",
    ),
    Notion(
        "a street address",
        "identifier",
        "*address* addr *street* house_number *adresse* anschrift* *strasse* hausn* rue numero_rue calle direccion* "
        "domicilio indirizzo via_residenza adres* straat* *straatnaam huisnummer endereco* morada rua",
        safe_harbor="B",
    ),
)

NUMBERS: frozenset[Type] = frozenset({"integer", "number"})

UNDATED: frozenset[Type] = frozenset({"integer", "number", "text", "boolean"})

BORN: frozenset[Type] = frozenset({"integer", "text", "date", "datetime"})

AGED: frozenset[Type] = frozenset({"integer", "number", "text"})

ZIP = Notion(
    "a postal code",
    "quasi",
    "zip zip_code zips postcode* post_code postal_code postal plz postleitzahl* code_postal cp codigo_postal "
    "codice_postale cap codigo_postale cep",
    confidence="sure",
    types=AGED,
    safe_harbor="B",
)

BIRTH = Notion(
    "a date of birth",
    "quasi",
    "*birth* dob yob born *geburt* geb *naissance* ne_le *nacimiento* fecha_nac *nascita* nato *geboorte* *nascimento* "
    "data_nasc nasc bday",
    confidence="sure",
    types=BORN,
    safe_harbor="C",
)

DATE_PART = Notion(
    "a month or day",
    "quasi",
    "*month *monat mois mois_naissance mes mese maand day tag jour dia giorno dag",
    confidence="guess",
    types=CODES,
    safe_harbor="C",
)

EVENT = Notion(
    "the date of an event",
    "quasi",
    "date* year years jahr* annee ano anno jaar timestamp *datum* fecha* datetime admission* discharge* death* deceased "
    "aufnahme* entlassung* tod todes* sterbe* deces muerte morte opname ontslag obito admis*",
    confidence="guess",
    types=frozenset({"date", "datetime", "text", "integer"}),
    safe_harbor="C",
)

AGE = Notion(
    "an age",
    "quasi",
    "age ages age_group alter alters* edad eta leeftijd* idade",
    confidence="sure",
    types=AGED,
    safe_harbor="C",
)

WEIGHT = Notion(
    "a sampling weight",
    "weight",
    "weight* wgt* *wgt wt pweight fweight finalwt *gewicht gew gewichtung* hochrechnung* poids ponderation* coef_pond peso* "
    "pondera* factor_expansion expansion_factor facexp weging* weegfactor wegingsfactor ponderador fator_expansao",
    types=NUMBERS,
)

HOUSEHOLD = Notion(
    "a household's number",
    "household",
    "household* hh hhid hid hhnr hh_id *haushalt* menage* foyer* hogar* vivienda_id nucleo_familiare famiglia familia "
    "familie family family_id fam_id famid huishoud* gezin agregado_familiar domicilio_id",
    types=frozenset({"integer", "text", "number"}),
)

NAME_OF_SOMETHING = Notion(
    "a name", "identifier", "name names namen nom nome nombre naam *name", confidence="guess", safe_harbor="A"
)

NUMBER = Notion(
    "a person's or record's number",
    "identifier",
    "id ids pid uid uuid guid identifier identifiant kennung kennnummer ident code_id record_id case_id person_id record recordn* "
    "subjid usubjid subject subject_n* subject_id subjectid subj subjno sbjid caseno casenum case_n* casenr caseid respondent "
    "respondent_id respid resp_id participant participant_id particip_id partid member_n* memberid enrolid enrollee* client_id "
    "clientid customer_id custid customer_n* kundennr kundennummer personalnummer personalnr persnr personnr personnummer "
    "employee_id employee_n* empid empno staff_id student_id studentid matnr screening_n* randomi*ation_n* rand_no randno seqn "
    "idnum idno idnr id_num study_id volunteer_id donor_id probandennr proband* pseudonym* "
    "matrikel* matricule expediente dossier dossiernr",
    types=CODES,
    safe_harbor="R",
)

NUMBER_OF_SOMETHING = Notion(
    "a number",
    "identifier",
    "nr no nummer num numero number key schluessel schlussel",
    confidence="guess",
    types=CODES,
    safe_harbor="R",
)

REMARKS = Notion(
    "remarks",
    "other",
    "remark* comment* note notes notiz* bemerkung* anmerkung* kommentar* freitext free_text text commentaire* remarque* "
    "observation* observacion* comentario* nota notas osservazion* commento commenti opmerking* notitie* toelichting "
    "observac* anotac* description narrative history anamnes*",
    confidence="guess",
    types=frozenset({"text"}),
)

EMPLOYER = Notion(
    "an occupation or employer",
    "quasi",
    "occu* workclass work_class job jobs profession* employer* employ* industry sector isco nace *beruf* arbeitgeber* branche "
    "taetigkeit* tatigkeit* metier* emploi* employeur* ocupacion* profesion* empleo empleador professione lavoro impiego beroep* "
    "werkgever* profissao ocupacao emprego company firma entreprise empresa azienda bedrijf",
    types=UNDATED,
)

BODY = Notion(
    "a body measure",
    "confidential",
    "body_weight birth_weight weight_kg weight_lb* bmi body_mass* height height_cm koerpergr* korpergr* groesse_cm grosse_cm "
    "*koerpergewicht *korpergewicht geburtsgewicht gewicht_kg taille_cm poids_kg poids_naissance peso_kg peso_nacer "
    "peso_nascita geboortegewicht lengte_cm altura",
    confidence="guess",
    types=NUMBERS,
)

NOTIONS: tuple[Notion, ...] = (
    Notion(
        "the size of a household",
        "quasi",
        "*household_size hh_size hhsize size_of_household persons_in_household family_size *haushaltsgr* taille_menage "
        "tamano_hogar *huishoudgrootte nr_children number_of_children num_children children kinder kinderzahl *enfants "
        "hijos figli kinderen filhos",
        types=NUMBERS,
    ),
    BODY,
    *IDENTIFIERS,
    Notion(
        "coordinates on the map",
        "quasi",
        "lat latitude lon lng longitude gps* coord* breitengrad laengengrad langengrad geo_point geocode* geohash",
        safe_harbor="B",
    ),
    ZIP,
    Notion(
        "the way somebody came or went",
        "quasi",
        "aufnahmeart* aufnahmegrund* aufnahmeanlass* entlass*art entlass*grund* admission_type type_of_admission "
        "admission_source admission_reason discharge_type discharge_disposition discharge_reason mode_entree mode_sortie "
        "type_admission tipo_ingreso tipo_alta tipo_ricovero tipo_dimissione opnametype opnamesoort soort_opname "
        "ontslagreden tipo_admissao tipo_internamento",
        confidence="guess",
        types=UNDATED,
    ),
    Notion(
        "a sum of money",
        "confidential",
        "*income* *salary* salar* wage* earning* expend* saving* *sales tax* *tax pay *revenue* wealth assets debt* loan* *einkommen* gehalt* lohn* *verdienst "
        "vermoegen vermogen schulden salaire* revenu* dette* sueldo* ingreso* deuda* stipendi* reddito redditi debit* "
        "inkomen* loon schuld* rendimento* renda divida* ordenado benefit* pension* rent rents miete* loyer* "
        "alquiler affitto huur aluguel aluguer turnover umsatz "
        "cost costs price prices *price charge charges fee fees amount amounts expense* *kosten preis preise *preis *betrag "
        "betraege gebuehr* gebuhr* entgelt* cout couts prix montant* frais depense* coste costes costo costos precio precios "
        "importe importes gasto gastos costi prezzo prezzi importo importi spesa spese prijs prijzen bedrag bedragen uitgave* "
        "custo custos preco precos despesa despesas",
        types=UNDATED,
    ),
    Notion(
        "a fact of origin, religion or disability, which can be seen in life",
        "quasi_confidential",
        "relig* *religion* faith church konfession* confession* glaube* geloof* ethn* *ethnic* race mrace frace racial rasse "
        "etni* raza razza ras raca *hautfarbe skin_colo* disab* handicap* behinderung* schwerbehind* discapacidad disabilita "
        "deficiencia invalid* pregnan* schwanger* enceinte embaraz*",
        types=UNDATED,
    ),
    Notion(
        "a diagnosis or another fact of health",
        "confidential",
        "*diagnos* health* gesundheit* sante salud salute gezondheid* saude disease* illness* icd dx condition conditions "
        "symptom* syndrome* hiv cancer virus medic* "
        "treatment* therap* drug* prescription* procedure* blood* *krankheit* *erkrankung* *befund* behinderung* "
        "*medikament* medikation* *behandlung behandlungs* *therapie operation operationen ops drg prozedur* blutdruck* rauch* kreatinin maladie* handicap* traitement* enfermedad* discapacidad tratamiento* malattia* malattie "
        "patologi* disabilita cura ziekte* aandoening* behandeling* doenca* deficiencia tratamento* mental* depress* "
        "pregnan* abortion* smok* alcohol* test_result* genetic* genotype*",
        types=UNDATED,
    ),
    Notion(
        "a fact of politics, sexual life or crime",
        "confidential",
        "*politic* *politik* politique* party partei* parti partido* partito partij* vote* voted voting wahl* voto stem union_member* gewerkschaft* syndicat* sindicat* sindacat* vakbond* sexual* "
        "sex_orient* orientation crim* convict* offence* offense* straf* vorstrafe* casier* delito* reato reati misdrijf*",
        types=UNDATED,
    ),
    WEIGHT,
    Notion(
        "a place",
        "quasi",
        "city cities town* village* municipal* county counties precinct* district* borough* parish* place place_of_birth "
        "birth_place *birthplace *gemeinde* ort wohnort* geburtsort stadt* kreis* landkreis bezirk* commune* ville* "
        "departement* lieu* lieu_naissance canton* municipio* ciudad* lugar* lugar_nacimiento comune citta provincia* "
        "provinc* luogo* luogo_nascita *gemeente* *plaats* woonplaats stad cidade* concelho* freguesia* census_tract tract "
        "neighbo* quartier* barrio* wijk buurt",
        safe_harbor="B",
    ),
    Notion(
        "a marital status",
        "quasi",
        "marital* marstat* marst civil_stat* *familienstand etat_civil estado_civil stato_civile burgerlijke_staat",
    ),
    DATE_PART,
    BIRTH,
    AGE,
    Notion(
        "a sex or gender",
        "quasi",
        "sex gender *geschlecht* sexe genre sexo genero sesso genere geslacht*",
        confidence="sure",
        types=frozenset({"text", "integer", "boolean", "number"}),
    ),
    Notion(
        "a region or country",
        "quasi",
        "region* state province country bundesland kanton* pays etat pais estado comunidad_autonoma regione paese "
        "stato regio land nuts* distrito nation",
    ),
    Notion(
        "a nationality or language",
        "quasi",
        "national* citizen* language* staatsang* *buergerschaft *burgerschaft sprache* muttersprache nationalite langue* "
        "nacionalidad idioma* lengua cittadinanza nazionalita lingua nationaliteit taal nacionalidade migra* immigra*",
    ),
    Notion(
        "an education",
        "quasi",
        "educ* school* degree qualification* isced *bildung* schul* abschluss* etude* diplom* scolarite educacion "
        "estudios escolaridad istruzione titolo_studio opleiding* onderwijs* escolaridade educacao",
        types=UNDATED,
    ),
    EMPLOYER,
    Notion(
        "a place of treatment or schooling",
        "quasi",
        "hospital* clinic* ward provider* physician* doctor* krankenhaus* klinik* arzt* hopital* medecin* medico ospedale* "
        "ziekenhuis* arts",
    ),
    EVENT,
    HOUSEHOLD,
    NAME_OF_SOMETHING,
    REMARKS,
    NUMBER,
    NUMBER_OF_SOMETHING,
)
